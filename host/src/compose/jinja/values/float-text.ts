/** Floats as Python writes them: the shortest digits that read back the same, and exact rounding, half to even. */

/** Digits without sign and the power of ten of the first one: 1.5e3 is "15", 3. */
interface Digits {
  readonly digits: string;
  readonly exponent: number;
}

const BITS = new DataView(new ArrayBuffer(8));

/** Every digit of a finite float; each float has finitely many. */
const exactDigits = (value: number): { readonly units: bigint; readonly scale: number } => {
  BITS.setFloat64(0, Math.abs(value));
  const bits = BITS.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) | (biased === 0 ? 0n : 1n << 52n);
  const power = Math.max(biased, 1) - 1075;
  if (power >= 0) return { units: mantissa << BigInt(power), scale: 0 };
  return { units: mantissa * 5n ** BigInt(-power), scale: -power };
};

const halfEven = (units: bigint, divisor: bigint): bigint => {
  const whole = units / divisor;
  const twice = (units % divisor) * 2n;
  return twice > divisor || (twice === divisor && whole % 2n === 1n) ? whole + 1n : whole;
};

/** The value times 10 to the places, rounded to a whole number; without sign. */
const scaled = (value: number, places: number): bigint => {
  const { units, scale } = exactDigits(value);
  return places >= scale ? units * 10n ** BigInt(places - scale) : halfEven(units, 10n ** BigInt(scale - places));
};

const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0);

/** With exactly that many places, as `%.2f`; only for finite values. */
export const fixedText = (value: number, places: number): string => {
  const text = scaled(value, places)
    .toString()
    .padStart(places + 1, "0");
  const whole = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
  return isNegative(value) ? `-${whole}` : whole;
};

/** Rounded to that many significant digits, exactly. */
const significant = (value: number, count: number): Digits => {
  if (value === 0) return { digits: "0".repeat(count), exponent: 0 };
  const { units, scale } = exactDigits(value);
  const length = units.toString().length;
  const drop = length - count;
  const rounded = drop > 0 ? halfEven(units, 10n ** BigInt(drop)) : units * 10n ** BigInt(-drop);
  const digits = rounded.toString();
  return { digits: digits.slice(0, count), exponent: length - 1 - scale + (digits.length - count) };
};

const exponentText = (exponent: number): string =>
  `e${exponent < 0 ? "-" : "+"}${Math.abs(exponent).toString().padStart(2, "0")}`;

const pointed = (digits: string, places: number): string =>
  places < digits.length ? `${digits.slice(0, places)}.${digits.slice(places)}` : digits;

/** With an exponent and that many places, as `%e`. */
export const exponentialText = (value: number, places: number): string => {
  const { digits, exponent } = significant(value, places + 1);
  return `${isNegative(value) ? "-" : ""}${pointed(digits, 1)}${exponentText(exponent)}`;
};

const laidOut = ({ digits, exponent }: Digits): string =>
  exponent < 0 ? `0.${"0".repeat(-exponent - 1)}${digits}` : pointed(digits.padEnd(exponent + 1, "0"), exponent + 1);

export interface GeneralOptions {
  readonly precision: number;
  /** Keeps zeros at the end. */
  readonly keepZeros: boolean;
}

/** As `%g`: whichever form is shorter at that precision. */
export const generalText = (value: number, { precision, keepZeros }: GeneralOptions): string => {
  const wanted = Math.max(1, precision);
  const found = significant(value, wanted);
  const digits = keepZeros ? found.digits : found.digits.replace(/(?!^)0+$/, "");
  const sign = isNegative(value) ? "-" : "";
  if (found.exponent < -4 || found.exponent >= wanted)
    return `${sign}${pointed(digits, 1)}${exponentText(found.exponent)}`;
  return `${sign}${laidOut({ digits, exponent: found.exponent })}`;
};

/** As `repr` and `str`. */
export const floatText = (value: number): string => {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const [mantissa = "0", power = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  const sign = isNegative(value) ? "-" : "";
  if (exponent < -4 || exponent >= 16) return `${sign}${pointed(digits, 1)}${exponentText(exponent)}`;
  const text = laidOut({ digits, exponent });
  return `${sign}${text}${text.includes(".") ? "" : ".0"}`;
};

/** Rounded to that many places, which may be negative. */
export const roundFloat = (value: number, places: number): number => {
  if (!Number.isFinite(value) || places > 350) return value;
  if (places < -350) return isNegative(value) ? -0 : 0;
  if (places >= 0) return Number(fixedText(value, places));
  const { units, scale } = exactDigits(value);
  const rounded = Number(halfEven(units, 10n ** BigInt(scale - places)) * 10n ** BigInt(-places));
  return isNegative(value) ? -rounded : rounded;
};
