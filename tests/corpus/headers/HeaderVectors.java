import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Writes every version of every request and response, all fields at their defaults, behind its header. */
public class HeaderVectors {
    public static void main(String[] arguments) {
        for (ApiMessageType type : ApiMessageType.values()) {
            for (short v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                short of = type.requestHeaderVersion(v);
                RequestHeaderData request = new RequestHeaderData().setRequestApiKey(type.apiKey())
                    .setRequestApiVersion(v).setCorrelationId(0x7fffffff).setClientId("c\u00e9");
                print("request", type, v, of, bytes(request, of) + bytes(type.newRequest(), v));
                of = type.responseHeaderVersion(v);
                ResponseHeaderData response = new ResponseHeaderData().setCorrelationId(0x7fffffff);
                print("response", type, v, of, bytes(response, of) + bytes(type.newResponse(), v));
            }
        }
    }

    static void print(String kind, ApiMessageType type, short version, short header, String hex) {
        System.out.println(kind + "\t" + type.apiKey() + "\t" + version + "\t" + header + "\t" + hex);
    }

    static String bytes(ApiMessage message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        StringBuilder hex = new StringBuilder();
        for (byte b : buffer.array()) hex.append(String.format("%02x", b));
        return hex.toString();
    }
}
