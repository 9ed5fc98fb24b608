/** A path → what is asked for, below any prefix; pure. Ids have a form of their own, so that no prefix is taken for a part of it. */
import { isId } from "../ids.ts"

export type Route =
  | { readonly _tag: "Page"; readonly name: string }
  | { readonly _tag: "State" | "Events" | "Rows" | "Messages" | "Files" | "Press" }
  | { readonly _tag: "File"; readonly id: string }
  | { readonly _tag: "Conversation"; readonly id: string }
  | { readonly _tag: "Export"; readonly id: string }

const words = {
  state: "State",
  events: "Events",
  rows: "Rows",
  messages: "Messages",
  files: "Files",
  press: "Press"
} as const

const isWord = (text: string): text is keyof typeof words => Object.hasOwn(words, text)

/** Returns undefined for an unknown path. `names`: files of the page. */
export const routeOf = (path: string, names: ReadonlySet<string>): Route | undefined => {
  const parts = path.split("/")
  const [last = "", second = "", third = ""] = [parts.at(-1), parts.at(-2), parts.at(-3)]
  if (last === "export" && third === "conversations" && isId(second)) return { _tag: "Export", id: second }
  if (second === "conversations" && isId(last)) return { _tag: "Conversation", id: last }
  if (second === "files" && isId(last)) return { _tag: "File", id: last }
  if (last === "") return { _tag: "Page", name: "" }
  if (names.has(`${second}/${last}`)) return { _tag: "Page", name: `${second}/${last}` }
  if (names.has(last) || last === "favicon.ico") return { _tag: "Page", name: last }
  return isWord(last) ? { _tag: words[last] } : undefined
}
