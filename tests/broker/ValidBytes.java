import java.io.File;
import java.util.Arrays;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Prints, for every file of a folder, its name and how many of its bytes LogSegment.recover would keep. */
public class ValidBytes {
    public static void main(String[] arguments) throws Exception {
        File[] files = new File(arguments[0]).listFiles();
        Arrays.sort(files);
        for (File file : files) {
            int valid = 0;
            try (FileRecords records = FileRecords.open(file, false)) {
                for (RecordBatch batch : records.batches()) {
                    batch.ensureValid();
                    valid += batch.sizeInBytes();
                }
            } catch (CorruptRecordException | InvalidRecordException bad) {
                // the log ends here
            }
            System.out.println(file.getName() + " " + valid);
        }
    }
}
