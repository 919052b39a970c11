// What Kafka's own log cleaner makes of partition directories: LogCleanerManager and Cleaner of the jars.
//   stdin:  a line per job, fields between tabs: "prepare" or "clean" or "time" | directory of the partition | now (ms) | delete.retention.ms |
//           internal.segment.bytes | index.interval.bytes | bytes of the offset map | its load factor | min.compaction.lag.ms |
//           max.compaction.lag.ms | min.cleanable.dirty.ratio | producer.id.expiration.ms | segment.index.bytes
//   stdout: a line per job: "ok <passes> <cleaned up to>", of "time" "ok <passes> <cleaned up to> <nanoseconds of wall> <nanoseconds of CPU>",
//           "refused <class> <message>"
// "prepare" recovers the log, which makes its indexes, and closes it. The cleaner runs until the log is not due any more; its checkpoint is
// in the directory above. What Kafka leaves to its scheduler (deletions) is done at once.
import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.*;
import org.apache.kafka.storage.internals.utils.Throttler;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

public class Clean {
    static final BrokerTopicStats STATS = new BrokerTopicStats();
    static final int IO_BUFFER = 512 * 1024 / 2;

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = "ok " + run(line.split("\t"));
            } catch (Throwable problem) {
                Throwable cause = problem.getCause() == null ? problem : problem.getCause();
                String message = String.valueOf(cause.getMessage()).replace('\n', ' ').replace('\t', ' ');
                answer = "refused " + cause.getClass().getSimpleName() + " " + message;
            }
            out.println(answer);
        }
    }

    static String run(String[] job) throws Exception {
        File directory = new File(job[1]);
        Time time = new Fixed(Long.parseLong(job[2]));
        boolean prepares = job[0].equals("prepare");
        Map<String, Object> config = new HashMap<>();
        config.put("cleanup.policy", "compact");
        config.put("delete.retention.ms", job[3]);
        config.put("internal.segment.bytes", job[4]);
        config.put("index.interval.bytes", job[5]);
        config.put("segment.index.bytes", job[12]);
        config.put("min.compaction.lag.ms", job[8]);
        config.put("max.compaction.lag.ms", job[9]);
        config.put("min.cleanable.dirty.ratio", job[10]);
        ProducerStateManagerConfig producers = new ProducerStateManagerConfig(Integer.parseInt(job[11]), false);
        LogDirFailureChannel failures = new LogDirFailureChannel(10);
        UnifiedLog log = UnifiedLog.create(directory, new LogConfig(config), 0L, prepares ? 0L : Long.MAX_VALUE, new Now(), STATS, time,
            300000, producers, 600000, failures, false, Optional.empty());
        try {
            log.updateHighWatermark(log.logEndOffset());
            log.removeExpiredProducers(time.milliseconds());
            return prepares ? "0 0" : clean(job, log, directory.getParentFile(), time, failures);
        } finally {
            log.close();
        }
    }

    static String clean(String[] job, UnifiedLog log, File parent, Time time, LogDirFailureChannel failures) throws Exception {
        ConcurrentMap<TopicPartition, UnifiedLog> logs = new ConcurrentHashMap<>(Map.of(log.topicPartition(), log));
        LogCleanerManager manager = new LogCleanerManager(List.of(parent), logs, failures);
        OffsetMap map = new SkimpyOffsetMap(Integer.parseInt(job[6]));
        Throttler throttler = new Throttler(Double.MAX_VALUE, 300, "cleaner-io", "bytes", time);
        Cleaner cleaner = new Cleaner(0, map, IO_BUFFER, 1 << 30, Double.parseDouble(job[7]), throttler, time, partition -> { });
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int passes = 0;
        long end = -1, wall = System.nanoTime(), processor = threads.getCurrentThreadCpuTime();
        try {
            while (true) {
                Optional<LogToClean> due = manager.grabFilthiestCompactedLog(time, new PreCleanStats());
                if (due.isEmpty())
                    break;
                long first = due.get().firstDirtyOffset();
                end = cleaner.clean(due.get()).getKey();
                manager.doneCleaning(log.topicPartition(), parent, end);
                passes++;
                if (end <= first)
                    break;
            }
        } finally {
            manager.removeMetrics();
        }
        String spent = " " + (System.nanoTime() - wall) + " " + (threads.getCurrentThreadCpuTime() - processor);
        return passes + " " + end + (job[0].equals("time") ? spent : "");
    }

    static class Fixed implements Time {
        final long now;

        Fixed(long now) {
            this.now = now;
        }

        public long milliseconds() {
            return now;
        }

        public long nanoseconds() {
            return now * 1000000;
        }

        public void sleep(long ms) { }

        public void waitObject(Object object, Supplier<Boolean> condition, long deadline) { }
    }

    static class Done extends FutureTask<Void> implements ScheduledFuture<Void> {
        Done() {
            super(() -> null);
        }

        public long getDelay(TimeUnit unit) {
            return 0;
        }

        public int compareTo(Delayed other) {
            return 0;
        }
    }

    static class Now implements Scheduler {
        public void startup() { }

        public void shutdown() { }

        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            if (periodMs < 0)
                task.run();
            return new Done();
        }

        public void resizeThreadPool(int size) { }
    }
}
