/**
 * Values for `-c key=value` of Codex, which reads them as TOML and takes anything else as a literal text (0.169.0). A
 * JSON string is a TOML string but for two characters.
 */

/** TOML knows neither half of a surrogate pair nor a bare DEL. */
export const text = (value: string) => JSON.stringify(value.toWellFormed()).replaceAll("\u007f", "\\u007f")

export const list = (values: ReadonlyArray<string>) => `[${values.map(text).join(",")}]`

/** Values are TOML already, names are not. */
export const table = (values: Readonly<Record<string, string>>) =>
  `{${Object.entries(values)
    .map(([name, value]) => `${text(name)}=${value}`)
    .join(",")}}`
