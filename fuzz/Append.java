// What Kafka's own UnifiedLog makes of appends, at times that are given.
//   stdin, a line each, fields separated by TAB; bytes are in hex:
//     open   now directory clean(0|1) log-start recovery-point settings(name=value,...)
//     lead   now leader-epoch origin(CLIENT|COORDINATOR) transaction-version batches
//     follow now leader-epoch batches
//     roll   now
//     flush  now
//     crash  now directory settings  opens a copy of the files, which was made meanwhile, as after a crash
//     close  now                     as a broker that shuts down: flush, then close
//     bench  now directory settings file    the file's batches, appended as leader one by one; all of it once before, untimed
//   stdout, a line each: "ok ...", "refused <class> <message>"; of an append "ok <first offset> <last offset> <append time>",
//   of bench "ok <ns of wall> <ns of CPU> <bytes>"
// What Kafka leaves to its scheduler is done at once.
import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Timer;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.*;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

public class Append {
    static final Given TIME = new Given();
    static final BrokerTopicStats STATS = new BrokerTopicStats();
    static final ProducerStateManagerConfig PRODUCERS = new ProducerStateManagerConfig(86400000, false);
    static UnifiedLog log;

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 20);
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = "ok" + answer(line.split("\t", -1));
            } catch (Throwable problem) {
                Throwable cause = problem instanceof RecordValidationException validation ? validation.invalidException() : problem;
                String message = String.valueOf(cause.getMessage()).replace('\n', ' ').replace('\t', ' ');
                answer = "refused " + cause.getClass().getSimpleName() + " " + message;
            }
            out.println(answer);
        }
    }

    static String answer(String[] fields) throws Exception {
        TIME.now = Long.parseLong(fields[1]);
        switch (fields[0]) {
            case "open":
                log = open(new File(fields[2]), fields[3].equals("1"), Long.parseLong(fields[4]), Long.parseLong(fields[5]), fields[6]);
                return " " + log.logStartOffset() + " " + log.logEndOffset();
            case "lead":
                return told(log.appendAsLeader(records(fields[5]), Integer.parseInt(fields[2]), AppendOrigin.valueOf(fields[3]),
                    RequestLocal.noCaching(), VerificationGuard.SENTINEL, Short.parseShort(fields[4])));
            case "follow":
                return told(log.appendAsFollower(records(fields[3]), Integer.parseInt(fields[2])));
            case "roll":
                log.roll();
                return "";
            case "flush":
                log.flush(false);
                return "";
            case "crash":
                log = open(new File(fields[2]), false, 0, log.recoveryPoint(), fields[3]);
                return " " + log.logStartOffset() + " " + log.logEndOffset();
            case "close":
                log.flush(true);
                log.close();
                return " " + log.logEndOffset();
            default:
                return bench(new File(fields[2]), fields[3], Path.of(fields[4]));
        }
    }

    static String told(LogAppendInfo info) {
        return " " + info.firstOffset() + " " + info.lastOffset() + " " + info.logAppendTime();
    }

    static MemoryRecords records(String hex) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }

    static UnifiedLog open(File directory, boolean clean, long start, long recoveryPoint, String settings) throws Exception {
        Map<String, String> config = new HashMap<>();
        for (String setting : settings.split(",")) {
            if (!setting.isEmpty()) config.put(setting.split("=")[0], setting.split("=")[1]);
        }
        return UnifiedLog.create(directory, new LogConfig(config), start, recoveryPoint, new AtOnce(), STATS, TIME, 300000, PRODUCERS,
            600000, new LogDirFailureChannel(10), clean, Optional.empty());
    }

    static String bench(File directory, String settings, Path file) throws Exception {
        byte[] data = Files.readAllBytes(file);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = 0, wall = 0;
        for (int round = 0; round < 2; round++) {
            List<MemoryRecords> all = new ArrayList<>();
            ByteBuffer copy = ByteBuffer.wrap(data.clone());
            while (copy.hasRemaining()) {
                int size = copy.getInt(copy.position() + 8) + 12;
                all.add(MemoryRecords.readableRecords(copy.slice(copy.position(), size)));
                copy.position(copy.position() + size);
            }
            UnifiedLog log = open(new File(directory, "bench-" + round), true, 0, 0, settings);
            cpu = threads.getCurrentThreadCpuTime();
            wall = System.nanoTime();
            for (MemoryRecords records : all) log.appendAsLeader(records, 0);
            wall = System.nanoTime() - wall;
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            log.close();
        }
        return " " + wall + " " + cpu + " " + data.length;
    }

    static class Given implements Time {
        long now;
        public long milliseconds() { return now; }
        public long nanoseconds() { return now * 1000000; }
        public long hiResClockMs() { return now; }
        public void sleep(long ms) { }
        public void waitObject(Object object, Supplier<Boolean> condition, long deadline) { }
        public Timer timer(long timeoutMs) { return Time.SYSTEM.timer(timeoutMs); }
    }

    static class AtOnce implements Scheduler {
        public void startup() { }
        public void shutdown() { }
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            if (periodMs < 0) task.run();
            return new Never();
        }
        public void resizeThreadPool(int newSize) { }
    }

    static class Never implements ScheduledFuture<Object> {
        public long getDelay(java.util.concurrent.TimeUnit unit) { return 0; }
        public int compareTo(java.util.concurrent.Delayed other) { return 0; }
        public boolean cancel(boolean interrupt) { return true; }
        public boolean isCancelled() { return false; }
        public boolean isDone() { return false; }
        public Object get() { return null; }
        public Object get(long timeout, java.util.concurrent.TimeUnit unit) { return null; }
    }
}
