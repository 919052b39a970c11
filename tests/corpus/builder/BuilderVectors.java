// Writes what Kafka's own MemoryRecordsBuilder makes of many shapes of records (no argument), or tells what Kafka reads
// of the buffers on standard input, one in hex per line (argument "read"). See PROVENANCE.md.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.ByteBufferOutputStream;

public class BuilderVectors {
    record Row(Long offset, long timestamp, byte[] key, byte[] value, Header[] headers) {}

    static final long NOW = 1_767_225_600_000L;

    static class Case {
        String name;
        int magic = 2;
        CompressionType codec = CompressionType.NONE;
        TimestampType type = TimestampType.CREATE_TIME;
        long baseOffset = 0, logAppendTime = -1, producerId = -1, horizon = -1;
        int producerEpoch = -1, sequence = -1, leaderEpoch = -1, limit = Integer.MAX_VALUE;
        boolean transactional, control;
        Long lastOffset;
        List<Row> rows = new ArrayList<>();

        Case(String name) { this.name = name; }

        Case row(Long offset, long timestamp, byte[] key, byte[] value, Header... headers) {
            rows.add(new Row(offset, timestamp, key, value, headers));
            return this;
        }

        void write() {
            StringBuilder out = new StringBuilder("{\"name\":\"" + name + "\",\"arguments\":{");
            out.append("\"magic\":" + magic + ",\"compression\":\"" + codec.name + "\"");
            String clock = type == TimestampType.CREATE_TIME ? "create"
                : type == TimestampType.LOG_APPEND_TIME ? "log_append" : "none";
            out.append(",\"timestamp_type\":\"" + clock + "\",\"base_offset\":" + baseOffset);
            if (type == TimestampType.LOG_APPEND_TIME) out.append(",\"log_append_time\":" + logAppendTime);
            out.append(",\"producer_id\":" + producerId + ",\"producer_epoch\":" + producerEpoch);
            out.append(",\"base_sequence\":" + sequence + ",\"is_transactional\":" + transactional);
            out.append(",\"is_control\":" + control + ",\"partition_leader_epoch\":" + leaderEpoch);
            if (horizon != -1) out.append(",\"delete_horizon_ms\":" + horizon);
            if (limit != Integer.MAX_VALUE) out.append(",\"max_bytes\":" + limit);
            out.append("},\"rows\":" + rowsJson(rows) + ",\"last_offset\":" + lastOffset);
            try {
                MemoryRecordsBuilder builder = new MemoryRecordsBuilder(new ByteBufferOutputStream(512), (byte) magic,
                    Compression.of(codec).build(), type, baseOffset, logAppendTime, producerId, (short) producerEpoch,
                    sequence, transactional, control, leaderEpoch, limit, horizon);
                int appended = 0;
                for (Row row : rows) {
                    if (!builder.hasRoomFor(row.timestamp, row.key, row.value, row.headers)) break;
                    append(builder, row);
                    appended++;
                }
                if (lastOffset != null) builder.overrideLastOffset(lastOffset);
                int estimated = builder.estimatedSizeInBytes();
                ByteBuffer built = builder.build().buffer();
                out.append(",\"appended\":" + appended + ",\"estimated\":" + estimated);
                if (codec == CompressionType.NONE) out.append(",\"hex\":\"" + hex(built) + "\"");
            } catch (IllegalArgumentException refused) {
                out.append(",\"refused\":\"" + refused.getMessage().replace('"', '\'') + "\"");
            }
            System.out.println(out.append("}"));
        }

        void append(MemoryRecordsBuilder builder, Row row) {
            SimpleRecord record = new SimpleRecord(row.timestamp, row.key, row.value, row.headers);
            long next = row.offset != null ? row.offset : nextOffset(builder);
            if (control) builder.appendControlRecordWithOffset(next, record);
            else builder.appendWithOffset(next, row.timestamp, row.key, row.value, row.headers);
            last = next;
        }

        Long last = null;

        long nextOffset(MemoryRecordsBuilder builder) { return last == null ? baseOffset : last + 1; }
    }

    static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    static String json(byte[] bytes) { return bytes == null ? "null" : "\"" + HexFormat.of().formatHex(bytes) + "\""; }

    static String json(ByteBuffer buffer) { return buffer == null ? "null" : "\"" + hex(buffer) + "\""; }

    static String headersJson(Header[] headers) {
        StringBuilder out = new StringBuilder("[");
        for (Header header : headers)
            out.append((out.length() > 1 ? "," : "") + "[" + json(header.key().getBytes(StandardCharsets.UTF_8)) + ","
                + json(header.value()) + "]");
        return out.append("]").toString();
    }

    static String rowsJson(List<Row> rows) {
        StringBuilder out = new StringBuilder("[");
        for (Row row : rows)
            out.append((out.length() > 1 ? "," : "") + "[" + row.offset + "," + row.timestamp + "," + json(row.key) + ","
                + json(row.value) + "," + headersJson(row.headers) + "]");
        return out.append("]").toString();
    }

    static byte[] b(String text) { return text.getBytes(StandardCharsets.UTF_8); }

    static byte[] n(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    static Header h(String key, byte[] value) { return new RecordHeader(key, value); }

    static void shapes(Case into, String shape) {
        switch (shape) {
            case "one" -> into.row(null, NOW, b("key"), b("value"));
            case "nulls" -> into.row(null, NOW, null, b("v")).row(null, NOW, b("k"), null).row(null, NOW, null, null)
                .row(null, NOW, b(""), b(""));
            case "sizes" -> {
                for (int size : new int[] {0, 1, 31, 32, 33, 49, 50, 54, 55, 56, 57, 58, 63, 64, 65, 100, 127, 128, 255, 256, 257,
                        300, 8100, 8170, 8183, 8191, 8192, 8200})
                    into.row(null, NOW + size, size % 2 == 0 ? null : n(size / 3), n(size));
            }
            case "times" -> {
                for (long time : new long[] {NOW, NOW + 63, NOW - 64, NOW + 64, NOW - 65, NOW + 8191, NOW + 8192, 0, -1, 1,
                        Long.MAX_VALUE, NOW + (1L << 40)})
                    into.row(null, time, b("k"), b("v"));
            }
            case "no_time" -> into.row(null, -1, null, b("v")).row(null, -1, null, b("w"));
            case "no_time_first" -> into.row(null, -1, null, b("v")).row(null, NOW, null, b("w")).row(null, Long.MAX_VALUE, null, b("x"));
            case "gaps" -> {
                long base = into.baseOffset;
                for (long delta : new long[] {3, 4, 63, 64, 65, 8191, 8192, 1 << 20, (1L << 28) - 1, 1L << 28, Integer.MAX_VALUE})
                    into.row(base + delta, NOW + delta % 7, b("k" + delta), b("v"));
            }
            case "many" -> {
                Random random = new Random(7);
                for (int i = 0; i < 300; i++)
                    into.row(null, NOW + random.nextInt(5000), i % 3 == 0 ? null : n(i % 40), i % 11 == 0 ? null : n(i % 170));
            }
            default -> throw new IllegalStateException(shape);
        }
    }

    static final String[] SHAPES = {"one", "nulls", "sizes", "times", "no_time", "no_time_first", "gaps", "many"};

    static void headerShapes() {
        Case c = new Case("magic2/headers");
        c.row(null, NOW, b("k"), b("v"), h("a", b("1"))).row(null, NOW, null, null, h("", null), h("", b("")), h("", b("")))
            .row(null, NOW, b("k"), b("v"), h("kl\u00e9\ud83d\ude00", n(64)), h("x".repeat(64), n(8192)), h("a", null)).row(null, NOW, b("k"), b("v"));
        c.write();
        Case many = new Case("magic2/many_headers");
        for (int count : new int[] {63, 64, 65, 200}) {
            Header[] headers = new Header[count];
            for (int i = 0; i < count; i++) headers[i] = h("h" + i, i % 5 == 0 ? null : n(i % 9));
            many.row(null, NOW, null, n(count), headers);
        }
        many.write();
    }

    static Case with(Case c, java.util.function.Consumer<Case> change) {
        change.accept(c);
        return c;
    }

    static void builders() {
        for (int magic = 0; magic <= 2; magic++) {
            for (TimestampType type : TimestampType.values()) {
                if (magic > 0 && type == TimestampType.NO_TIMESTAMP_TYPE) continue;
                for (String shape : SHAPES)
                    for (long base : new long[] {0, 1_000_000_000_000L}) {
                        Case c = new Case("magic" + magic + "/" + type + "/" + shape + "/" + base);
                        c.magic = magic;
                        c.type = type;
                        c.baseOffset = base;
                        if (type == TimestampType.LOG_APPEND_TIME) c.logAppendTime = NOW + 12_345;
                        shapes(c, shape);
                        c.write();
                    }
            }
        }
        headerShapes();
        for (boolean transactional : new boolean[] {false, true})
            for (int sequence : new int[] {0, 77, Integer.MAX_VALUE}) {
                Case c = new Case("magic2/producer/" + transactional + "/" + sequence);
                c.producerId = sequence == 77 ? Long.MAX_VALUE : 9001;
                c.producerEpoch = sequence == 77 ? Short.MAX_VALUE : 3;
                c.sequence = sequence;
                c.transactional = transactional;
                c.leaderEpoch = 41;
                c.baseOffset = 500;
                shapes(c, "nulls");
                c.write();
            }
        with(new Case("magic2/delete_horizon"), c -> { c.horizon = NOW - 86_400_000; c.baseOffset = 7; shapes(c, "gaps"); }).write();
        with(new Case("magic2/last_offset"), c -> { c.baseOffset = 100; c.lastOffset = 190L; shapes(c, "one"); }).write();
        with(new Case("magic2/nothing"), c -> { }).write();
        with(new Case("magic2/control"), c -> {
            c.control = true;
            c.row(null, NOW, new byte[] {0, 0, 0, 1}, new byte[] {0, 0, 0, 0, 0, 5});
        }).write();
        limits();
        refusals();
    }

    static void limits() {
        for (CompressionType codec : new CompressionType[] {CompressionType.NONE, CompressionType.GZIP})
            for (int magic = 0; magic <= 2; magic++)
                for (int limit : new int[] {1, 61, 100, 150, 500, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 5000, 16384}) {
                    Case c = new Case("limit/" + codec.name + "/magic" + magic + "/" + limit);
                    c.magic = magic;
                    c.codec = codec;
                    c.limit = limit;
                    shapes(c, "many");
                    c.write();
                }
    }

    static void refusals() {
        with(new Case("refused/negative_time"), c -> c.row(null, -2, null, null)).write();
        with(new Case("refused/same_offset"), c -> c.row(5L, 0, null, null).row(5L, 0, null, null)).write();
        with(new Case("refused/offset_backwards"), c -> c.row(5L, 0, null, null).row(4L, 0, null, null)).write();
        with(new Case("refused/delta_too_large"), c -> c.row(1L + Integer.MAX_VALUE, 0, null, null)).write();
        with(new Case("refused/transactional_without_id"), c -> { c.transactional = true; shapes(c, "one"); }).write();
        with(new Case("refused/id_without_epoch"), c -> { c.producerId = 1; c.sequence = 0; shapes(c, "one"); }).write();
        with(new Case("refused/id_without_sequence"), c -> { c.producerId = 1; c.producerEpoch = 0; shapes(c, "one"); }).write();
        for (int magic = 0; magic <= 1; magic++) {
            int old = magic;
            with(new Case("refused/headers" + old), c -> { c.magic = old; c.row(null, 0, null, null, h("a", null)); }).write();
            with(new Case("refused/id" + old), c -> { c.magic = old; c.producerId = 1; c.producerEpoch = 0; c.sequence = 0; shapes(c, "one"); }).write();
            with(new Case("refused/transactional" + old), c -> { c.magic = old; c.transactional = true; shapes(c, "one"); }).write();
            with(new Case("refused/control" + old), c -> { c.magic = old; c.control = true; shapes(c, "one"); }).write();
            with(new Case("refused/zstd" + old), c -> { c.magic = old; c.codec = CompressionType.ZSTD; shapes(c, "one"); }).write();
            with(new Case("refused/horizon" + old), c -> { c.magic = old; c.horizon = 5; shapes(c, "one"); }).write();
        }
        for (int magic = 1; magic <= 2; magic++) {
            int format = magic;
            with(new Case("refused/no_type" + format), c -> { c.magic = format; c.type = TimestampType.NO_TIMESTAMP_TYPE; shapes(c, "one"); }).write();
        }
        with(new Case("refused/control_type"), c -> { c.control = true; c.row(null, 0, new byte[] {0, 0, 0, 99}, b("")); }).write();
    }

    static void marker(String what, String arguments, MemoryRecords records) {
        System.out.println("{\"marker\":\"" + what + "\",\"arguments\":{" + arguments + "},\"hex\":\"" + hex(records.buffer()) + "\"}");
    }

    static void markers() {
        for (ControlRecordType type : new ControlRecordType[] {ControlRecordType.COMMIT, ControlRecordType.ABORT})
            for (int epoch : new int[] {0, 9, Integer.MAX_VALUE})
                marker("end_transaction", "\"producer_id\":9001,\"producer_epoch\":7,\"commit\":" + (type == ControlRecordType.COMMIT)
                        + ",\"coordinator_epoch\":" + epoch + ",\"timestamp\":" + NOW + ",\"base_offset\":55,\"partition_leader_epoch\":12",
                    MemoryRecords.withEndTransactionMarker(55, NOW, 12, 9001, (short) 7, new EndTransactionMarker(type, epoch)));
        String common = "\"timestamp\":" + NOW + ",\"base_offset\":3,\"partition_leader_epoch\":6";
        Uuid one = new Uuid(1, 2), two = new Uuid(-3, 4);
        for (int version = 0; version <= 1; version++) {
            LeaderChangeMessage message = new LeaderChangeMessage().setVersion((short) version).setLeaderId(2)
                .setVoters(voters(version, one, two)).setGrantingVoters(voters(version, two));
            String directories = version == 0 ? "[[2],[3]],\"granting_voters\":[[2]]"
                : "[[2,\"" + uuid(one) + "\"],[3,\"" + uuid(two) + "\"]],\"granting_voters\":[[2,\"" + uuid(two) + "\"]]";
            MemoryRecordsBuilder builder = kraft();
            builder.appendControlRecord(NOW, ControlRecordType.LEADER_CHANGE, MessageUtil.toByteBufferAccessor(message, (short) version).buffer());
            marker("leader_change", common + ",\"version\":" + version + ",\"leader_id\":2,\"voters\":" + directories, builder.build());
        }
        marker("snapshot_header", common + ",\"last_contained_log_timestamp\":" + (NOW - 1), MemoryRecords.withSnapshotHeaderRecord(3, NOW, 6,
            ByteBuffer.allocate(256), new SnapshotHeaderRecord().setVersion((short) 0).setLastContainedLogTimestamp(NOW - 1)));
        marker("snapshot_footer", common, MemoryRecords.withSnapshotFooterRecord(3, NOW, 6, ByteBuffer.allocate(256), new SnapshotFooterRecord()));
        for (int version : new int[] {0, 1})
            marker("kraft_version", common + ",\"kraft_version\":" + version, MemoryRecords.withKRaftVersionRecord(3, NOW, 6, ByteBuffer.allocate(256),
                new KRaftVersionRecord().setKRaftVersion((short) version)));
        VotersRecord.EndpointCollection endpoints = new VotersRecord.EndpointCollection();
        endpoints.add(new VotersRecord.Endpoint().setName("CONTROLLER").setHost("kafka-1.example").setPort(65535));
        endpoints.add(new VotersRecord.Endpoint().setName("PLAIN").setHost("h\u00f6st").setPort(9093));
        VotersRecord record = new VotersRecord().setVoters(List.of(
            new VotersRecord.Voter().setVoterId(1).setVoterDirectoryId(one).setEndpoints(endpoints)
                .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature().setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) 1)),
            new VotersRecord.Voter().setVoterId(200).setVoterDirectoryId(two)));
        marker("kraft_voters", common + ",\"voters\":[[1,\"" + uuid(one) + "\",[[\"CONTROLLER\",\"kafka-1.example\",65535],[\"PLAIN\",\"h\u00f6st\",9093]],0,1],[200,\""
            + uuid(two) + "\",[],0,0]]", MemoryRecords.withVotersRecord(3, NOW, 6, ByteBuffer.allocate(512), record));
        for (boolean transactional : new boolean[] {false, true}) {
            ByteBuffer buffer = ByteBuffer.allocate(61);
            DefaultRecordBatch.writeEmptyHeader(buffer, (byte) 2, 9001, (short) 7, 15, 100, 140, 6, TimestampType.CREATE_TIME, NOW, transactional, false);
            buffer.flip();
            marker("empty_batch", "\"last_offset\":140,\"max_timestamp\":" + NOW + ",\"base_offset\":100,\"producer_id\":9001,\"producer_epoch\":7,"
                + "\"base_sequence\":15,\"partition_leader_epoch\":6,\"is_transactional\":" + transactional, MemoryRecords.readableRecords(buffer));
        }
    }

    static MemoryRecordsBuilder kraft() {
        return new MemoryRecordsBuilder(ByteBuffer.allocate(512), (byte) 2, Compression.NONE, TimestampType.CREATE_TIME, 3, NOW, -1, (short) -1, -1,
            false, true, 6, 512);
    }

    static String uuid(Uuid id) { return new java.util.UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString(); }

    static List<LeaderChangeMessage.Voter> voters(int version, Uuid... ids) {
        List<LeaderChangeMessage.Voter> voters = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            LeaderChangeMessage.Voter voter = new LeaderChangeMessage.Voter().setVoterId(2 + i);
            voters.add(version == 0 ? voter : voter.setVoterDirectoryId(ids[i]));
        }
        return voters;
    }

    static void sizes() {
        for (int magic = 0; magic <= 2; magic++)
            for (CompressionType codec : CompressionType.values())
                for (int size : new int[] {-1, 0, 1, 63, 64, 1000, 8191, 8192}) {
                    byte[] key = size < 0 ? null : n(size / 2), value = size < 0 ? null : n(size);
                    Header[] headers = magic < 2 || size % 2 == 1 ? new Header[0] : new Header[] {h("a", n(70)), h("\u00e9", null)};
                    List<SimpleRecord> records = new ArrayList<>();
                    List<Row> rows = new ArrayList<>();
                    for (int i = 0; i < 70; i++) {
                        records.add(new SimpleRecord(NOW + 3 * i, key, value, headers));
                        rows.add(new Row(null, NOW + 3 * i, key, value, headers));
                    }
                    System.out.println("{\"sizes\":{\"magic\":" + magic + ",\"compression\":\"" + codec.name + "\"},\"row\":"
                        + rowsJson(rows.subList(0, 1)) + ",\"upper_bound\":"
                        + AbstractRecords.estimateSizeInBytesUpperBound((byte) magic, codec, key, value, headers)
                        + ",\"header\":" + AbstractRecords.recordBatchHeaderSizeInBytes((byte) magic, codec)
                        + ",\"estimate\":" + AbstractRecords.estimateSizeInBytes((byte) magic, codec, records) + "}");
                }
    }

    static String read(ByteBuffer buffer) {
        StringBuilder out = new StringBuilder("[");
        for (RecordBatch batch : MemoryRecords.readableRecords(buffer).batches()) {
            batch.ensureValid();
            for (Record record : batch) {
                record.ensureValid();
                out.append((out.length() > 1 ? "," : "") + "[" + record.offset() + "," + record.timestamp() + "," + json(record.key()) + ","
                    + json(record.value()) + "," + headersJson(record.headers()) + "]");
            }
        }
        return out.append("]").toString();
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
            for (String line = lines.readLine(); line != null; line = lines.readLine())
                System.out.println(read(ByteBuffer.wrap(HexFormat.of().parseHex(line))));
            return;
        }
        builders();
        markers();
        sizes();
    }
}
