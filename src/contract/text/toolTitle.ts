/** The title of a tool call: the first line of its main input, whose name differs between CLIs and versions. */
import { Predicate } from "effect"

const longestTitle = 300

export const firstLine = (value: string) => {
  const text = value.trim()
  const end = text.indexOf("\n")
  const line = end === -1 ? text : text.slice(0, end)
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line
}

/** Names of one and the same input, the usual ones first. */
const sameInputs: ReadonlyArray<ReadonlyArray<string>> = [
  [
    "file_path", "filePath", "path", "notebook_path", "notebookPath", "absolute_path", "absolutePath", "filepath", "file",
    "filename"
  ],
  ["dir_path", "dirPath", "directory", "path"],
  ["command", "cmd", "script"],
  ["pattern", "regex", "glob"],
  ["query", "q", "search_query"],
  ["url", "uri"]
] // biome-ignore format: one list

const namesOf = (name: string) => [name, ...(sameInputs.find((names) => names.includes(name)) ?? [])]

/** The first line of the first of these inputs that is a text, by any of its names; else the tool's own name. */
export const titleOf = (toolName: string, input: unknown, about: ReadonlyArray<string>): string => {
  for (const usual of about) {
    for (const name of namesOf(usual)) {
      const value = Predicate.hasProperty(input, name) ? input[name] : undefined
      if (typeof value === "string" && value.trim() !== "") return firstLine(value)
    }
  }
  return toolName
}
