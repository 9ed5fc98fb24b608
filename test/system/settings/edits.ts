/** Edits of a user to a settings file while runs hold it, and the same edits to the text as it would be without runs. */
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs"

export const edits = [
  "adds a member",
  "adds a server",
  "changes a value",
  "comments",
  "removes a server",
  "replaces the file",
  "changes the mode"
] as const
export type Edit = (typeof edits)[number]

export interface UserFile {
  text: string
  mode: number
}

const apply = (text: string, edit: Edit, turn: number): string => {
  if (edit === "adds a member") return text.replace("{", `{ "added ${turn}": ${turn},`)
  if (edit === "adds a server") return text.replace('"servers": {', `"servers": { "server ${turn}": {},`)
  if (edit === "changes a value") return text.replace(/"theme": "[^"]*"/, `"theme": "theme ${turn}"`)
  if (edit === "comments") return text.replace("/* mine */", `/* mine */ // turn ${turn}\n`)
  if (edit === "removes a server") return text.replace('"own": { "url": "x" }, ', "")
  return text
}

/** In place, or as an editor does that writes a new file. */
export const changeText = (file: string, user: UserFile, edit: Edit, turn: number) => {
  user.text = apply(user.text, edit, turn)
  const text = apply(readFileSync(file, "utf8"), edit, turn)
  if (edit === "changes the mode") {
    user.mode = 0o640
    return chmodSync(file, user.mode)
  }
  if (edit !== "replaces the file") return writeFileSync(file, text)
  user.mode = 0o664
  writeFileSync(`${file}~`, text)
  chmodSync(`${file}~`, user.mode)
  renameSync(`${file}~`, file)
}
