import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Prints what Kafka's own consumer reads of partition 0 of topics, read_committed, from the beginning to the end.
 * Arguments: bootstrap server, topics. A line per record: topic, offset, timestamp type, timestamp, key, value and
 * headers (key=value, with commas between), separated by tabs; bytes in hexadecimal, null as "null".
 */
public class Consume {
    static final long LIMIT_MS = 60_000;

    static String hex(byte[] data) {
        return data == null ? "null" : HexFormat.of().formatHex(data);
    }

    public static void main(String[] arguments) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("isolation.level", "read_committed");
        settings.put("enable.auto.commit", "false");
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : Arrays.asList(arguments).subList(1, arguments.length))
            partitions.add(new TopicPartition(topic, 0));
        StringBuilder out = new StringBuilder();
        long deadline = System.currentTimeMillis() + LIMIT_MS;
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Set<TopicPartition> open = new HashSet<>(partitions);
            while (!open.isEmpty()) {
                if (System.currentTimeMillis() > deadline)
                    throw new IllegalStateException("not read to the end: " + open);
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    StringJoiner headers = new StringJoiner(",");
                    for (Header header : record.headers())
                        headers.add(hex(header.key().getBytes(java.nio.charset.StandardCharsets.UTF_8)) + "=" + hex(header.value()));
                    out.append(String.join("\t", record.topic(), "" + record.offset(), "" + record.timestampType(),
                            "" + record.timestamp(), hex(record.key()), hex(record.value()), headers.toString())).append('\n');
                }
                open.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
            }
        }
        System.out.print(out);
    }
}
