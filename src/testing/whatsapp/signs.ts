/** The text that a person sees: the apps read marks and take them away. Written apart from the channel that writes them. */

const word = String.raw`[\p{L}\p{N}]`
const styles = ["*", "_", "~"].map((sign) => {
  const own = sign === "*" ? String.raw`\*` : sign
  return new RegExp(
    String.raw`(?<!${word})${own}(?=[^\s\u200b])([^${own}\n]*?[^\s${own}\u200b])${own}(?!${word})`,
    "gu"
  )
})

const withoutStyles = (text: string): string => {
  let now = text
  for (let round = 0; round < 3; round++) for (const style of styles) now = now.replace(style, "$1")
  return now
}

/** Without marks and zero-width spaces; code keeps what is in it. */
export const clearSigns = (text: string): string =>
  text
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? part.replace(/^`+|`+$/g, "") : withoutStyles(part.replace(/^> /gm, ""))))
    .join("")
    .replaceAll("\u200b", "")
