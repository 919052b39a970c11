import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the names that error codes and API keys have in each of the kafka-clients jars given; the first is slf4j's. */
public class Names {
    public static void main(String[] jars) throws Exception {
        Map<String, String> releases = new LinkedHashMap<>();
        for (int i = 1; i < jars.length; i++) {
            URL[] path = {new File(jars[i]).toURI().toURL(), new File(jars[0]).toURI().toURL()};
            ClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
            String release = jars[i].replaceAll(".*kafka-clients-|\\.jar", "");
            Class<?> errors = loader.loadClass("org.apache.kafka.common.protocol.Errors");
            Class<?> retriable = loader.loadClass("org.apache.kafka.common.errors.RetriableException");
            Method code = errors.getMethod("code"), exception = errors.getMethod("exception");
            for (Object error : errors.getEnumConstants()) {
                Object thrown = exception.invoke(error);
                releases.merge("error\t" + code.invoke(error) + "\t" + ((Enum<?>) error).name(), release, Names::last);
                if (!release.equals("4.3.0")) continue;
                String name = thrown == null ? "-" : thrown.getClass().getSimpleName();
                System.out.println("now\t" + code.invoke(error) + "\t" + ((Enum<?>) error).name() + "\t"
                    + retriable.isInstance(thrown) + "\t" + name);
            }
            Class<?> keys = loader.loadClass("org.apache.kafka.common.protocol.ApiKeys");
            Field id = keys.getField("id"), name = keys.getField("name");
            for (Object key : keys.getEnumConstants()) {
                releases.merge("api\t" + id.get(key) + "\t" + ((Enum<?>) key).name() + "\t" + name.get(key), release, Names::last);
            }
        }
        releases.forEach((entry, seen) -> System.out.println(entry + "\t" + seen));
    }

    static String last(String seen, String release) {
        return seen.split(" ")[0] + " " + release;
    }
}
