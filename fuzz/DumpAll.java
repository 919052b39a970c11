import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs DumpLogSegments on each of the files that a file names: what it prints goes beside it, and what it ends with. */
public class DumpAll {
    public static void main(String[] arguments) throws Exception {
        PrintStream nothing = new PrintStream(new ByteArrayOutputStream());
        for (String file : Files.readAllLines(Path.of(arguments[0]))) {
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            System.setOut(new PrintStream(printed, false, StandardCharsets.UTF_8));
            System.setErr(nothing);
            String refusal = "";
            try {
                org.apache.kafka.tools.DumpLogSegments.main(new String[] {"--print-data-log", "--files", file});
            } catch (Throwable thrown) {
                refusal = thrown.toString();
            }
            System.out.flush();
            Files.write(Path.of(file + ".printed"), printed.toByteArray());
            Files.writeString(Path.of(file + ".refusal"), refusal);
        }
    }
}
