// What Kafka itself makes of partition directories after an unclean shutdown: LogLoader.load, or LogSegment.recover alone.
//   stdin:  a line per image: "load" or "segment" or "time" | TAB | directory | TAB | log start offset | TAB | recovery point | TAB | now (ms)
//           of "segment" the log start offset is the segment's base offset
//   stdout: a line per image: "ok <log start> <recovery point> <next offset>", "ok <truncated bytes>", "refused <class> <message>",
//           of "time" "ok <nanoseconds of wall> <nanoseconds of CPU>" of a LogSegment.recover
// What Kafka leaves to its scheduler (deletions, the epoch checkpoint) is run at the end, and the segments are closed as by a broker that
// shuts down: indexes have the length of their entries then.
import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Timer;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.*;

public class Recover {
    static final LogConfig CONFIG = new LogConfig(Map.of());
    static final ProducerStateManagerConfig PRODUCERS = new ProducerStateManagerConfig(86400000, false);

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] fields = line.split("\t");
            File directory = new File(fields[1]);
            long start = Long.parseLong(fields[2]), point = Long.parseLong(fields[3]);
            Time time = new Fixed(Long.parseLong(fields[4]));
            String answer;
            try {
                answer = "ok " + switch (fields[0]) {
                    case "load" -> load(directory, start, point, time);
                    case "segment" -> segment(directory, start, time);
                    default -> timed(directory, start, time);
                };
            } catch (Throwable problem) {
                String message = String.valueOf(problem.getMessage()).replace('\n', ' ').replace('\t', ' ');
                answer = "refused " + problem.getClass().getSimpleName() + " " + message;
            }
            out.println(answer);
        }
    }

    static String load(File directory, long start, long point, Time time) throws Exception {
        TopicPartition partition = UnifiedLog.parseTopicPartitionName(directory);
        Later later = new Later();
        LogDirFailureChannel failures = new LogDirFailureChannel(10);
        LogSegments segments = new LogSegments(partition);
        try {
            LeaderEpochFileCache epochs = UnifiedLog.createLeaderEpochCache(directory, partition, failures, Optional.empty(), later);
            ProducerStateManager producers = new ProducerStateManager(partition, directory, 300000, PRODUCERS, time);
            LoadedLogOffsets loaded = new LogLoader(directory, partition, CONFIG, later, time, failures, false, segments, start, point,
                epochs, producers, new ConcurrentHashMap<>(), false).load();
            later.runAll();
            return loaded.logStartOffset() + " " + loaded.recoveryPoint() + " " + loaded.nextOffsetMetadata().messageOffset;
        } finally {
            segments.close();
        }
    }

    static String segment(File directory, long base, Time time) throws Exception {
        TopicPartition partition = UnifiedLog.parseTopicPartitionName(directory);
        File beside = Files.createTempDirectory("epochs").toFile();
        LogSegment segment = LogSegment.open(directory, base, CONFIG, time, true, 0, false, "");
        try {
            LeaderEpochFileCache epochs = new LeaderEpochFileCache(partition,
                new LeaderEpochCheckpointFile(new File(beside, "leader-epoch-checkpoint"), new LogDirFailureChannel(10)), new Later());
            ProducerStateManager producers = new ProducerStateManager(partition, beside, 300000, PRODUCERS, time);
            File snapshot = LogFileUtils.producerSnapshotFile(directory, base);
            if (snapshot.exists())
                ProducerStateManager.readSnapshot(snapshot).forEach(producers::loadProducerEntry);
            return "" + segment.recover(producers, epochs);
        } finally {
            segment.close();
            for (File file : beside.listFiles()) file.delete();
            beside.delete();
        }
    }

    static String timed(File directory, long base, Time time) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = threads.getCurrentThreadCpuTime(), wall = System.nanoTime();
        segment(directory, base, time);
        return (System.nanoTime() - wall) + " " + (threads.getCurrentThreadCpuTime() - cpu);
    }

    record Fixed(long now) implements Time {
        public long milliseconds() { return now; }
        public long nanoseconds() { return now * 1000000; }
        public long hiResClockMs() { return now; }
        public void sleep(long ms) { }
        public void waitObject(Object object, java.util.function.Supplier<Boolean> condition, long deadline) { }
        public Timer timer(long timeoutMs) { return Time.SYSTEM.timer(timeoutMs); }
    }

    static class Later implements Scheduler {
        final Deque<Runnable> waiting = new ArrayDeque<>();

        void runAll() {
            while (!waiting.isEmpty()) waiting.poll().run();
        }

        public void startup() { }
        public void shutdown() { }
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            waiting.add(task);
            return null;
        }
        public void resizeThreadPool(int newSize) { }
    }
}
