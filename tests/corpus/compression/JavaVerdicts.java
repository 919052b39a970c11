// What Apache Kafka's own classes say of compressed payloads, and what they write. See PROVENANCE.md.
// stdin, a line each:  "read <codec> <magic> <hex>"  or  "write <codec> <level or -> <magic> <hex>"
// stdout:              "ok <size> <crc32>" or "error <class> <message>"      "<hex>"
import java.io.*;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.apache.kafka.common.compress.*;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.*;

public class JavaVerdicts {
    static final int CAP = 64 << 20;

    static String read(int codec, byte magic, byte[] data) {
        Compression compression = Compression.of(CompressionType.forId(codec)).build();
        CRC32 crc = new CRC32();
        long size = 0;
        try (InputStream in = compression.wrapForInput(ByteBuffer.wrap(data), magic, BufferSupplier.create())) {
            byte[] buffer = new byte[8192];
            for (int n; (n = in.read(buffer, 0, buffer.length)) >= 0; size += n) {
                crc.update(buffer, 0, n);
                if (size > CAP) return "error Cap " + CAP;
            }
            return "ok " + size + " " + crc.getValue();
        } catch (Throwable t) {
            while (t.getCause() != null) t = t.getCause();
            return "error " + t.getClass().getSimpleName() + " " + t.getMessage();
        }
    }

    static Compression compression(int codec, String level) {
        if (level.equals("-")) return Compression.of(CompressionType.forId(codec)).build();
        int n = Integer.parseInt(level);
        switch (codec) {
            case 1: return Compression.gzip().level(n).build();
            case 3: return Compression.lz4().level(n).build();
            case 4: return Compression.zstd().level(n).build();
            default: throw new IllegalArgumentException();
        }
    }

    static String write(int codec, String level, byte magic, byte[] data) throws IOException {
        ByteBufferOutputStream buffer = new ByteBufferOutputStream(512);
        try (OutputStream out = compression(codec, level).wrapForOutput(buffer, magic)) {
            for (int i = 0; i < data.length; i += 100) // as records are written: a bit at a time
                out.write(data, i, Math.min(100, data.length - i));
        }
        ByteBuffer written = buffer.buffer();
        written.flip();
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] p = line.split(" ", -1);
            byte[] data = HexFormat.of().parseHex(p[p.length - 1]);
            byte magic = Byte.parseByte(p[p.length - 2]);
            int codec = Integer.parseInt(p[1]);
            System.out.println(p[0].equals("read") ? read(codec, magic, data) : write(codec, p[2], magic, data));
        }
    }
}
