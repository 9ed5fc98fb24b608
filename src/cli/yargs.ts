/** Flags as yargs, the parser of Gemini CLI (0.61.0) and OpenCode (1.18.33), recognises them; pure. */

/** yargs makes one name of `approvalMode`, `approval--mode` and `APPROVAL-MODE`, and of `yolo` and `yolo-`. */
const kebabOf = (text: string): string =>
  (text === text.toUpperCase() ? text.toLowerCase() : text)
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/[-_]+/g, "-")
    .replace(/^-|-$/g, "")

/**
 * The names of the flags in an argument, as the CLI's help writes them. `--approvalMode=x` and `--approval--mode=x` are
 * `--approval-mode`; `---yolo`, `--yolo-`, `--yolo.x=1` and `--no-yolo` are `--yolo`, `--y` is `-y`, and `-dy` is `-d` and
 * `-y`.
 */
export const yargsFlags = (argument: string): ReadonlyArray<string> => {
  const [, dashes = "", text = ""] = /^(-*)([^=]*)/.exec(argument) ?? []
  if (dashes === "" || (dashes === "-" && text === "")) return []
  if (dashes === "-") return Array.from(text, (letter) => `-${letter}`)
  const kebab = kebabOf(text.split(".", 1)[0] ?? "")
  if (kebab === "") return ["--"]
  const name = kebab.replace(/^no-/, "")
  return [name.length === 1 ? `-${name}` : `--${name}`]
}
