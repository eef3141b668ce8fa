package simtape;

import java.util.Base64;
import java.util.Map;

/** Writes JSON. It is ASCII only, so any string arrives as it is, half of a surrogate pair included. */
final class Json {
    private static final String HEX = "0123456789abcdef";

    private Json() {}

    /** An object of keys and values in turn. A value that is null is left out. */
    static String object(Object... pairs) {
        StringBuilder to = new StringBuilder(128).append('{');
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] == null) continue;
            if (to.length() > 1) to.append(',');
            text(to, (String) pairs[i]);
            value(to.append(':'), pairs[i + 1]);
        }
        return to.append('}').toString();
    }

    /** JSON has no NaN and no infinity: they become null, which the hub refuses with a line that names the field. */
    static void value(StringBuilder to, Object value) {
        if (value == null) to.append("null");
        else if (value instanceof Double || value instanceof Float)
            to.append(Double.isFinite(((Number) value).doubleValue()) ? value.toString() : "null");
        else if (value instanceof Number || value instanceof Boolean) to.append(value);
        else if (value instanceof byte[] bytes) text(to, Base64.getEncoder().encodeToString(bytes));
        else if (value instanceof Map<?, ?> map) {
            char before = '{';
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text(to.append(before), String.valueOf(entry.getKey()));
                value(to.append(':'), entry.getValue());
                before = ',';
            }
            to.append(before == '{' ? "{}" : "}");
        } else if (value instanceof Iterable<?> list) {
            char before = '[';
            for (Object each : list) {
                value(to.append(before), each);
                before = ',';
            }
            to.append(before == '[' ? "[]" : "]");
        } else text(to, value.toString());
    }

    private static void text(StringBuilder to, String text) {
        to.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') to.append('\\').append(c);
            else if (c >= ' ' && c < 0x7f) to.append(c);
            else {
                to.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) to.append(HEX.charAt(c >> shift & 15));
            }
        }
        to.append('"');
    }
}
