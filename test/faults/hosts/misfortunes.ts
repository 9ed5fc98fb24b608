/**
 * Loaded into a host before all else: its process fails in a way that no part of it expects. `MISFORTUNE` says how, and
 * `WORDS` names a file with what the failure says. `crash` and `rejected` wait for SIGUSR2.
 */
import { readFileSync } from "node:fs"
import http from "node:http"
import { Api } from "grammy"

const words = () => readFileSync(process.env["WORDS"] ?? "", "utf8")

const failures: Readonly<Record<string, () => void>> = {
  crash: () =>
    setImmediate(() => {
      throw Object.assign(new Error(words()), { name: words(), code: words(), given: { text: words() } })
    }),
  /** A failure of grammY without a waiting caller. */
  rejected: () => {
    const [token = ""] = words().split("\n")
    void new Api(token, { apiRoot: "http://127.0.0.1:9" }).sendMessage(1, words())
  }
}

const failure = failures[process.env["MISFORTUNE"] ?? ""]
if (failure !== undefined) process.on("SIGUSR2", failure)

/** The calls of each method fail in turn, in the hands of grammY. */
if (process.env["MISFORTUNE"] === "thrown") {
  const { request } = http
  const counts = new Map<string, number>()
  http.request = ((...input: Parameters<typeof request>) => {
    const { path = "" } = Object(input[0])
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    if (String(path).startsWith("/bot") && count % 2 === 0) {
      process.stderr.write(`thrown: ${path.split("/").at(-1)}\n`)
      throw new Error(`${words()} ${path}`)
    }
    return request(...input)
    // The overloads of the function that it stands for.
  }) as typeof request
}
