import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;

/** Writes utf8.tsv: how Java decodes malformed UTF-8. See PROVENANCE.md. */
public class Utf8Vectors {
    /** The first and last byte of every class that UTF-8 tells apart. */
    static final int[] EDGES = {
        0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
        0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff
    };

    static byte[] decoded(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_16BE);
    }

    public static void main(String[] arguments) throws Exception {
        HexFormat hex = HexFormat.of();
        for (int length = 1; length <= 4; length++) {
            for (int first : EDGES) {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                int sequences = (int) Math.pow(EDGES.length, length - 1);
                for (int number = 0; number < sequences; number++) {
                    byte[] bytes = new byte[length];
                    bytes[0] = (byte) first;
                    int rest = number;
                    for (int at = length - 1; at >= 1; at--) {
                        bytes[at] = (byte) EDGES[rest % EDGES.length];
                        rest /= EDGES.length;
                    }
                    byte[] text = decoded(bytes);
                    digest.update((byte) (text.length / 2));
                    digest.update(text);
                }
                System.out.printf("all\t%d\t%02x\t%s%n", length, first, hex.formatHex(digest.digest()));
            }
        }
        Random random = new Random(20261121);
        for (int i = 0; i < 400; i++) {
            byte[] bytes = new byte[4 + random.nextInt(5)];
            for (int at = 0; at < bytes.length; at++)
                bytes[at] = (byte) (random.nextInt(3) > 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(256));
            System.out.printf("one\t%s\t%s%n", hex.formatHex(bytes), hex.formatHex(decoded(bytes)));
        }
    }
}
