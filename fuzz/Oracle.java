// What Kafka's own client library says of buffers of record batches. The protocol is that of exchange.py:
//   stdin:  frame = int32 number of cases | case...     case   = int8 'v' (verdict) or 'd' (details) | int32 size | bytes
//   stdout: frame = int32 number of answers | answer... answer = int32 size | UTF-8 text
// A verdict reads a buffer as CompletedFetch does: batch by batch, ensureValid, then every record, ensureValid.
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.StringJoiner;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.*;

public class Oracle {
    static final BufferSupplier SUPPLIER = BufferSupplier.create();
    static final ByteBuffer NUMBERS = ByteBuffer.allocate(20);

    public static void main(String[] arguments) throws Exception {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 20));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 20));
        System.setOut(System.err);
        while (true) {
            int cases;
            try {
                cases = in.readInt();
            } catch (EOFException end) {
                return;
            }
            byte[] modes = new byte[cases];
            byte[][] buffers = new byte[cases][];
            for (int i = 0; i < cases; i++) {
                modes[i] = in.readByte();
                buffers[i] = in.readNBytes(in.readInt());
            }
            out.writeInt(cases);
            for (int i = 0; i < cases; i++) {
                byte[] text = verdict(buffers[i], modes[i] == 'd').getBytes(StandardCharsets.UTF_8);
                out.writeInt(text.length);
                out.write(text);
            }
            out.flush();
        }
    }

    // good batches, separated by spaces | TAB | "end <valid bytes>" or "refused <class>" | TAB | message
    static String verdict(byte[] data, boolean details) throws Exception {
        StringJoiner batches = new StringJoiner(details ? "\n" : " ");
        int valid = 0;
        try {
            for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
                batches.add(rows(batch, details));
                valid += batch.sizeInBytes();
            }
        } catch (Throwable problem) { // an OutOfMemoryError is a refusal too: of a size that was taken on trust
            Throwable cause = problem;
            while (cause.getCause() != null) cause = cause.getCause();
            String message = String.valueOf(cause.getMessage()).replace('\t', ' ').replace('\n', ' ');
            return batches + "\trefused " + cause.getClass().getSimpleName() + "\t" + message;
        }
        return batches + "\tend " + valid + "\t";
    }

    static String rows(RecordBatch batch, boolean details) throws Exception {
        batch.ensureValid();
        MessageDigest digest = MessageDigest.getInstance("MD5");
        StringBuilder shown = new StringBuilder();
        int count = 0;
        try (CloseableIterator<Record> records = batch.streamingIterator(SUPPLIER)) {
            while (records.hasNext()) {
                Record record = records.next();
                record.ensureValid();
                digestOf(record, digest);
                if (details) shown.append("\n    ").append(describe(record));
                count++;
            }
        }
        String sum = HexFormat.of().formatHex(digest.digest(), 0, 8);
        return facts(batch) + ":" + count + ":" + sum + shown;
    }

    static String facts(RecordBatch batch) {
        StringJoiner facts = new StringJoiner(",");
        facts.add("" + batch.magic()).add("" + batch.lastOffset()).add("" + batch.nextOffset());
        facts.add("" + batch.compressionType().id).add("" + batch.sizeInBytes()).add("" + batch.checksum());
        facts.add("" + batch.timestampType().id).add("" + batch.maxTimestamp());
        if (batch.magic() < RecordBatch.MAGIC_VALUE_V2) return facts.toString();
        facts.add("" + batch.baseOffset()).add("" + batch.producerId()).add("" + batch.producerEpoch());
        facts.add("" + batch.baseSequence()).add("" + batch.lastSequence()).add("" + batch.partitionLeaderEpoch());
        facts.add(batch.isTransactional() ? "1" : "0").add(batch.isControlBatch() ? "1" : "0");
        facts.add(batch.deleteHorizonMs().isPresent() ? "" + batch.deleteHorizonMs().getAsLong() : "None");
        return facts.add("" + batch.countOrNull()).toString();
    }

    static void digestOf(Record record, MessageDigest digest) {
        NUMBERS.clear().putLong(record.offset()).putLong(record.timestamp()).putInt(record.sequence());
        digest.update(NUMBERS.array(), 0, 20);
        update(digest, record.key());
        update(digest, record.value());
        Header[] headers = record.headers();
        size(digest, headers.length);
        for (Header header : headers) {
            update(digest, ByteBuffer.wrap(header.key().getBytes(StandardCharsets.UTF_8)));
            update(digest, header.value() == null ? null : ByteBuffer.wrap(header.value()));
        }
    }

    static void update(MessageDigest digest, ByteBuffer bytes) {
        size(digest, bytes == null ? -1 : bytes.remaining());
        if (bytes != null) digest.update(bytes);
    }

    static void size(MessageDigest digest, int size) {
        NUMBERS.clear().putInt(size);
        digest.update(NUMBERS.array(), 0, 4);
    }

    static String describe(Record record) {
        StringJoiner row = new StringJoiner(" ");
        row.add("" + record.offset()).add("" + record.timestamp()).add("" + record.sequence());
        row.add(hex(record.key())).add(hex(record.value()));
        for (Header header : record.headers())
            row.add(hex(ByteBuffer.wrap(header.key().getBytes(StandardCharsets.UTF_8))) + "="
                + (header.value() == null ? "null" : hex(ByteBuffer.wrap(header.value()))));
        return row.toString();
    }

    static String hex(ByteBuffer bytes) {
        if (bytes == null) return "null";
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return "'" + HexFormat.of().formatHex(copy);
    }
}
