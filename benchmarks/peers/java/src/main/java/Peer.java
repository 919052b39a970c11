import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;
import org.apache.kafka.common.utils.Utils;

/**
 * Apache Kafka's Java client as a contestant: answers the requests of ../../../../contest.py, which explains them.
 *
 * <p>The CPU time is that of the thread that does the work: the compiler's and the garbage collector's threads are left
 * out. The serial collector (one thread, everything else waits) must be chosen: its time is told as
 * collector_seconds_mean, that is, by round.
 */
public final class Peer {
    private static final int ROOM = 16 << 20;  // of the buffer that batches are built in: larger than any batch
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** What a producer is given. */
    private record Row(long timestamp, byte[] key, byte[] value, Header[] headers) {}

    /** What a consumer gets. */
    private record Consumed(long offset, long timestamp, byte[] key, byte[] value, Header[] headers) {}

    /** The rows of one batch. */
    private record Batch(long baseOffset, List<Row> rows) {}

    private interface Work {
        Sums run();
    }

    private static final class Sums {
        long records;
        long offsets;
        long timestamps;
        long keyBytes;
        long valueBytes;
        long headers;
        long bytes;

        /** Touch every field of a record. */
        void add(Record record) {
            ByteBuffer key = record.key();
            ByteBuffer value = record.value();
            records++;
            offsets += record.offset();
            timestamps += record.timestamp();
            keyBytes += key == null ? 0 : key.remaining();
            valueBytes += value == null ? 0 : value.remaining();
            headers += record.headers().length;
        }

        void add(Consumed record) {
            records++;
            offsets += record.offset();
            timestamps += record.timestamp();
            keyBytes += record.key() == null ? 0 : record.key().length;
            valueBytes += record.value() == null ? 0 : record.value().length;
            headers += record.headers().length;
        }
    }

    private String path = "";
    private byte[] data = {};
    private List<Batch> batches = List.of();

    private void load(String wanted) throws IOException {
        if (!path.equals(wanted)) {
            batches = List.of();
            data = Files.readAllBytes(Path.of(wanted));
            path = wanted;
        }
    }

    private void loadRows(String wanted) throws IOException {
        load(wanted);
        if (!batches.isEmpty()) {
            return;
        }
        batches = new ArrayList<>();
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
            List<Row> rows = new ArrayList<>(batch.countOrNull());
            for (Record record : batch) {
                byte[] key = Utils.toNullableArray(record.key());
                byte[] value = Utils.toNullableArray(record.value());
                rows.add(new Row(record.timestamp(), key, value, record.headers()));
            }
            batches.add(new Batch(batch.baseOffset(), rows));
        }
    }

    /** Decode as Kafka's consumer does, one batch after the other, and add up each record before the next is made. */
    private Sums decode() {
        Sums sums = new Sums();
        eachRecord(sums::add);
        return sums;
    }

    /** Hold all records to the end. */
    private Sums decodeHeld() {
        Sums sums = new Sums();
        List<Record> held = new ArrayList<>();
        eachRecord(held::add);
        held.forEach(sums::add);
        return sums;
    }

    /** Hold all records with keys and values in arrays of their own, as consumers with a ByteArrayDeserializer do. */
    private Sums decodeArrays() {
        Sums sums = new Sums();
        List<Consumed> held = new ArrayList<>();
        eachRecord(record -> held.add(new Consumed(
                record.offset(), record.timestamp(), Utils.toNullableArray(record.key()),
                Utils.toNullableArray(record.value()), record.headers())));
        held.forEach(sums::add);
        return sums;
    }

    private void eachRecord(Consumer<Record> use) {
        try (BufferSupplier buffers = BufferSupplier.create()) {
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
                batch.ensureValid();
                try (CloseableIterator<Record> records = batch.streamingIterator(buffers)) {
                    records.forEachRemaining(use);
                }
            }
        }
    }

    /** Encode batch after batch into one new buffer. */
    private Sums encode(Compression compression, Consumer<ByteBuffer> use) {
        Sums sums = new Sums();
        ByteBuffer buffer = ByteBuffer.allocate(data.length + ROOM);
        for (Batch batch : batches) {
            build(batch, compression, buffer, sums);
        }
        use.accept(buffer.flip());
        return sums;
    }

    /** Encode batch by batch into a smaller buffer that is used again. */
    private Sums encodeDropping(Compression compression, ByteBuffer buffer) {
        Sums sums = new Sums();
        for (Batch batch : batches) {
            build(batch, compression, buffer.clear(), sums);
        }
        return sums;
    }

    private static void build(Batch batch, Compression compression, ByteBuffer buffer, Sums sums) {
        MemoryRecordsBuilder builder =
                MemoryRecords.builder(buffer, compression, TimestampType.CREATE_TIME, batch.baseOffset());
        for (Row row : batch.rows()) {
            builder.append(row.timestamp(), row.key(), row.value(), row.headers());
        }
        sums.bytes += builder.build().sizeInBytes();
        sums.records += batch.rows().size();
    }

    private Work work(String name, String codec, String file, String out) throws IOException {
        if (name.startsWith("decode")) {
            load(file);
            return switch (name) {
                case "decode" -> this::decodeHeld;
                case "decode-dropping" -> this::decode;
                case "decode-arrays" -> this::decodeArrays;
                default -> throw new IllegalArgumentException(name);
            };
        }
        loadRows(file);
        Compression compression = Compression.of(codec).build();
        if (!out.isEmpty()) {
            encode(compression, encoded -> write(Path.of(out), encoded));
        }
        if (name.equals("encode")) {
            return () -> encode(compression, encoded -> {});
        }
        ByteBuffer buffer = ByteBuffer.allocate(ROOM);
        return () -> encodeDropping(compression, buffer);
    }

    private static void write(Path path, ByteBuffer encoded) {
        try (OutputStream file = Files.newOutputStream(path)) {
            file.write(encoded.array(), 0, encoded.limit());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static long collectorMilliseconds() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private String answer(String request) throws IOException {
        String[] parts = request.split("\t", -1);
        if (parts.length != 6) {
            throw new IllegalArgumentException("a request has 6 fields: " + request);
        }
        int rounds = Integer.parseInt(parts[3]);
        Work work = work(parts[0], parts[2], parts[4], parts[5]);
        Sums sums = null;
        double best = Double.POSITIVE_INFINITY;
        double total = 0;
        System.gc();  // what the request before left is not this one's
        long collecting = collectorMilliseconds();
        for (int round = 0; round < rounds; round++) {
            long start = THREADS.getCurrentThreadCpuTime();
            sums = work.run();
            double seconds = (THREADS.getCurrentThreadCpuTime() - start) / 1e9;
            best = Math.min(best, seconds);
            total += seconds;
        }
        double collector = (collectorMilliseconds() - collecting) / 1e3;
        return String.format(
                "{\"peer\":\"kafka-clients\",\"version\":\"%s\",\"work\":\"%s\",\"corpus\":\"%s\",\"codec\":\"%s\","
                        + "\"level\":\"%s\",\"rounds\":%d,\"records\":%d,\"offsets\":%d,\"timestamps\":%d,"
                        + "\"key_bytes\":%d,\"value_bytes\":%d,\"headers\":%d,\"bytes\":%d,"
                        + "\"cpu_seconds_best\":%.9f,\"cpu_seconds_mean\":%.9f,\"collector_seconds_mean\":%.9f}",
                AppInfoParser.getVersion(), parts[0], parts[1], parts[2], parts[2].equals("none") ? "" : "default",
                rounds, sums.records, sums.offsets, sums.timestamps, sums.keyBytes, sums.valueBytes, sums.headers,
                sums.bytes, best, total / rounds, collector / rounds);
    }

    public static void main(String[] arguments) throws IOException {
        Peer peer = new Peer();
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            System.out.println(peer.answer(line));
        }
    }
}
