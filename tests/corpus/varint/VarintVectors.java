import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.kafka.common.utils.ByteUtils;

/** Writes varint.tsv: what Kafka's ByteUtils makes of numbers and of bytes. See PROVENANCE.md. */
public class VarintVectors {
    static final Set<String> lines = new LinkedHashSet<>();

    static String written(ByteBuffer buffer) {
        return HexFormat.of().formatHex(buffer.array(), 0, buffer.position());
    }

    static void encode(String type, ByteBuffer buffer, Object value, int size) {
        lines.add(String.join("\t", "encode", type, written(buffer), value.toString(), Integer.toString(size)));
    }

    static void decode(String type, byte[] bytes, Function<ByteBuffer, Object> read) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        String outcome;
        try {
            outcome = read.apply(buffer) + "\t" + buffer.position();
        } catch (BufferUnderflowException e) {
            outcome = "truncated\t-";
        } catch (IllegalArgumentException e) {
            outcome = "illegal\t-";
        }
        lines.add(String.join("\t", "decode", type, HexFormat.of().formatHex(bytes), outcome));
    }

    static void decode(byte[] bytes) {
        decode("varint", bytes, ByteUtils::readVarint);
        decode("unsigned_varint", bytes, b -> Integer.toUnsignedLong(ByteUtils.readUnsignedVarint(b)));
        decode("varlong", bytes, ByteUtils::readVarlong);
        decode("unsigned_varlong", bytes, b -> { // Kafka has no reader of it: this undoes readVarlong's zigzag
            long value = ByteUtils.readVarlong(b);
            return Long.toUnsignedString((value << 1) ^ (value >> 63));
        });
    }

    static void encode(int value) {
        ByteBuffer buffer = ByteBuffer.allocate(10);
        ByteUtils.writeVarint(value, buffer);
        encode("varint", buffer, value, ByteUtils.sizeOfVarint(value));
        ByteUtils.writeUnsignedVarint(value, buffer.clear());
        encode("unsigned_varint", buffer, Integer.toUnsignedLong(value), ByteUtils.sizeOfUnsignedVarint(value));
    }

    static void encode(long value) {
        ByteBuffer buffer = ByteBuffer.allocate(10);
        ByteUtils.writeVarlong(value, buffer);
        encode("varlong", buffer, value, ByteUtils.sizeOfVarlong(value));
        ByteUtils.writeUnsignedVarlong(value, buffer.clear());
        encode("unsigned_varlong", buffer, Long.toUnsignedString(value), ByteUtils.sizeOfUnsignedVarlong(value));
    }

    public static void main(String[] arguments) {
        Random random = new Random(20261121);
        Set<Integer> ints = new TreeSet<>();
        Set<Long> longs = new TreeSet<>();
        for (int off = -1; off <= 1; off++) {
            for (int bit = 0; bit < 32; bit++)
                ints.addAll(List.of((1 << bit) + off, -(1 << bit) + off));
            for (int bit = 0; bit < 64; bit++)
                longs.addAll(List.of((1L << bit) + off, -(1L << bit) + off));
        }
        for (int i = 0; i < 60; i++) {
            ints.add(random.nextInt() >> random.nextInt(32));
            longs.add(random.nextLong() >> random.nextInt(64));
        }
        ints.forEach(VarintVectors::encode);
        longs.forEach(VarintVectors::encode);
        // Bytes that ask for more, then a last one: overlong forms, bits that do not fit, too many bytes, too few.
        for (int more = 0; more <= 11; more++)
            for (int fill : new int[] {0x80, 0xff, 0xaa})
                for (int last : new int[] {-1, 0, 1, 0x0f, 0x10, 0x3f, 0x7f}) {
                    byte[] bytes = new byte[more + (last < 0 ? 0 : 1)];
                    Arrays.fill(bytes, 0, more, (byte) fill);
                    if (last >= 0)
                        bytes[more] = (byte) last;
                    decode(bytes);
                }
        for (int i = 0; i < 150; i++) {
            byte[] bytes = new byte[1 + random.nextInt(12)];
            random.nextBytes(bytes);
            for (int at = 0; at < bytes.length; at++)
                if (random.nextInt(4) > 0)
                    bytes[at] |= (byte) 0x80;
            decode(bytes);
        }
        lines.forEach(System.out::println);
    }
}
