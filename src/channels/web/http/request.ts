/** The parts of a request: its route, its origin, and its body, which is never held if it is too long. */
import { Effect } from "effect"
import { bytesOf } from "../../kit/requestBody.ts"
import { isId } from "../ids.ts"
import { type Problem, problem, problems } from "../problem.ts"

const most = 1_000_000
const patience = "30 seconds"

/** JSON as text. Its content type is required, since a form of another page cannot send it. */
export const textOf = (request: Request): Effect.Effect<string, Problem> => {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json") return Effect.fail(problem(415, "The body is not application/json."))
  return Effect.tryPromise(() => bytesOf(request, most)).pipe(
    Effect.timeout(patience),
    Effect.mapError(() => problems.brokenOff),
    Effect.flatMap((bytes) =>
      bytes === undefined ? Effect.fail(problems.tooLarge("1 MB")) : Effect.succeed(bytes.toString("utf8"))
    )
  )
}

/** True if a browser request comes from the page's own origin. Other programs send neither header, and have no cookies. */
export const isOwnOrigin = (request: Request, origins: ReadonlyArray<string> | undefined): boolean => {
  const origin = request.headers.get("origin")
  const site = request.headers.get("sec-fetch-site")
  // Browsers omit the origin in requests of the page itself and of addresses that people type.
  if (origin === null) return site === null || site === "same-origin" || site === "none"
  if (origins !== undefined) return origins.includes(origin)
  const host = request.headers.get("host") ?? new URL(request.url).host
  return origin === `http://${host}` || origin === `https://${host}`
}

export type Route =
  | { readonly _tag: "Page"; readonly name: string }
  | { readonly _tag: "State" | "Events" | "Rows" | "Messages" | "Files" | "Press" }
  | { readonly _tag: "File" | "Conversation" | "Export" | "Changes"; readonly id: string }

const words = {
  state: "State",
  events: "Events",
  rows: "Rows",
  messages: "Messages",
  files: "Files",
  press: "Press"
} as const

const isWord = (text: string): text is keyof typeof words => Object.hasOwn(words, text)

/**
 * The route of a path below any prefix, which cannot be mistaken for an id; undefined if it is unknown. `names`: files of
 * the page.
 */
export const routeOf = (path: string, names: ReadonlySet<string>): Route | undefined => {
  const parts = path.split("/")
  const [last = "", second = "", third = ""] = [parts.at(-1), parts.at(-2), parts.at(-3)]
  if (last === "export" && third === "conversations" && isId(second)) return { _tag: "Export", id: second }
  if (last === "changes" && third === "conversations" && isId(second)) return { _tag: "Changes", id: second }
  if (second === "conversations" && isId(last)) return { _tag: "Conversation", id: last }
  if (second === "files" && isId(last)) return { _tag: "File", id: last }
  if (last === "") return { _tag: "Page", name: "" }
  if (names.has(`${second}/${last}`)) return { _tag: "Page", name: `${second}/${last}` }
  if (names.has(last) || last === "favicon.ico") return { _tag: "Page", name: last }
  return isWord(last) ? { _tag: words[last] } : undefined
}
