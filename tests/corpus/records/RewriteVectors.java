// What Apache Kafka's own classes make of a buffer of batches when they rewrite its headers. See PROVENANCE.md.
// stdin, a line each:  "<name> <hex>"
// stdout, a line for each of six changes:  "<name> <change> ok <last offsets> <sha-256 of the buffer>"
//                                       or "<name> <change> error <class>"
import java.io.*;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.*;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.*;

public class RewriteVectors {
    interface Change { void apply(MutableRecordBatch batch, State state); }

    static class State {
        long next = 5_000_000_000L;
        StringJoiner lastOffsets = new StringJoiner(",");
        void setLastOffset(MutableRecordBatch batch, long offset) {
            batch.setLastOffset(offset);
            lastOffsets.add(Long.toString(offset));
        }
    }

    static final Map<String, Change> CHANGES = new LinkedHashMap<>();
    static {
        CHANGES.put("successive", (batch, state) -> { // a legacy batch's base offset is found by opening it
            long last = state.next + batch.lastOffset() - batch.baseOffset();
            state.setLastOffset(batch, last);
            state.next = last + 1;
        });
        CHANGES.put("shifted", (batch, state) -> state.setLastOffset(batch, batch.lastOffset() + 1_000_000_007L));
        CHANGES.put("epoch", (batch, state) -> batch.setPartitionLeaderEpoch(42));
        CHANGES.put("append_time", (batch, state) ->
            batch.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, 1_700_000_000_123L));
        CHANGES.put("create_time", (batch, state) ->
            batch.setMaxTimestamp(TimestampType.CREATE_TIME, 1_600_000_000_456L));
        CHANGES.put("broker", (batch, state) -> { // all that a leader does to a batch that it appends
            long last = state.next + batch.lastOffset() - batch.baseOffset();
            state.setLastOffset(batch, last);
            state.next = last + 1;
            if (batch.magic() > RecordBatch.MAGIC_VALUE_V0)
                batch.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, 1_700_000_000_123L);
            if (batch.magic() >= RecordBatch.MAGIC_VALUE_V2)
                batch.setPartitionLeaderEpoch(7);
        });
    }

    static String apply(byte[] source, Change change) {
        byte[] data = source.clone();
        State state = new State();
        try {
            MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(data));
            for (MutableRecordBatch batch : records.batches())
                change.apply(batch, state);
            String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
            return "ok [" + state.lastOffsets + "] " + digest;
        } catch (Throwable t) {
            return "error " + t.getClass().getSimpleName();
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] p = line.split(" ", -1);
            byte[] data = HexFormat.of().parseHex(p[1]);
            for (Map.Entry<String, Change> change : CHANGES.entrySet())
                System.out.println(p[0] + " " + change.getKey() + " " + apply(data, change.getValue()));
        }
    }
}
