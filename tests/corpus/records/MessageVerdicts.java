import java.io.*; import java.nio.ByteBuffer; import java.util.*;
import org.apache.kafka.common.record.internal.*;
public class MessageVerdicts {
  static byte[] unhex(String s){byte[] b=new byte[s.length()/2];for(int i=0;i<b.length;i++)b[i]=(byte)Integer.parseInt(s.substring(2*i,2*i+2),16);return b;}
  static String hex(ByteBuffer b){ if(b==null)return "-"; StringBuilder s=new StringBuilder("x"); while(b.hasRemaining()) s.append(String.format("%02x",b.get())); return s.toString();}
  /** One buffer in hex per line in; its rows (offset, timestamp, type, key, value), or E and what refused it, out. */
  public static void main(String[] a) throws Exception {
    BufferedReader in=new BufferedReader(new InputStreamReader(System.in)); PrintStream out=new PrintStream(new BufferedOutputStream(System.out,1<<16));
    String l;
    while((l=in.readLine())!=null){
      StringBuilder s=new StringBuilder();
      try {
        MemoryRecords m=MemoryRecords.readableRecords(ByteBuffer.wrap(unhex(l)));
        for(MutableRecordBatch b: m.batches()){
          b.ensureValid();
          try(org.apache.kafka.common.utils.CloseableIterator<org.apache.kafka.common.record.internal.Record> it=b.streamingIterator(org.apache.kafka.common.utils.BufferSupplier.NO_CACHING)){
          while(it.hasNext()){ org.apache.kafka.common.record.internal.Record r=it.next(); r.ensureValid(); s.append(r.offset()+","+r.timestamp()+","+b.timestampType().id+","+hex(r.key())+","+hex(r.value())+";"); } }
        }
      } catch(Throwable e){ s.append("E "+e.getClass().getSimpleName()+" "+String.valueOf(e.getMessage()).replace('\n',' ')); }
      out.println(s);
    }
    out.flush();
  }
}
