/** One line for people about a tool call: the first line of what it is about, not too long. */

const longestTitle = 300

export const firstLine = (value: string) => {
  const [line = ""] = value.trim().split("\n", 1)
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line
}
