import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/** Reads buffers of records as Kafka's consumer does: a line of hex in; its rows, or E and what refused it, out. */
public class MessageVerdicts {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = lines.readLine()) != null) {
            System.out.println(verdict(HexFormat.of().parseHex(line)));
        }
    }

    static String verdict(byte[] buffer) {
        StringBuilder rows = new StringBuilder();
        try {
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(buffer)).batches()) {
                batch.ensureValid();
                try (CloseableIterator<Record> records = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
                    while (records.hasNext()) {
                        Record record = records.next();
                        record.ensureValid();
                        rows.append(record.offset() + "," + record.timestamp() + "," + batch.timestampType().id + ","
                            + hex(record.key()) + "," + hex(record.value()) + ";");
                    }
                }
            }
        } catch (Throwable refusal) {
            return rows + "E " + refusal.getClass().getSimpleName() + " " + refusal.getMessage();
        }
        return rows.toString();
    }

    static String hex(ByteBuffer bytes) {
        if (bytes == null) {
            return "-";
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return "x" + HexFormat.of().formatHex(copy);
    }
}
