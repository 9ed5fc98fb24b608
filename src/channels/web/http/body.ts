/** The body of a request, counted while it comes: what is too long is never held. */
import { Effect } from "effect"
import { type Problem, problem, problems } from "../problem.ts"

export const chunksOf = async function* (request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

const most = 1_000_000
const patience = "30 seconds"

const read = async (request: Request): Promise<string | undefined> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of chunksOf(request)) {
    bytes += chunk.length
    if (bytes > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** A text of JSON. Its type is asked for: a form of another page cannot send it. */
export const textOf = (request: Request): Effect.Effect<string, Problem> => {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json") return Effect.fail(problem(415, "The body is not application/json."))
  if (Number(request.headers.get("content-length") ?? 0) > most) return Effect.fail(problems.tooLarge("1 MB"))
  return Effect.tryPromise(() => read(request)).pipe(
    Effect.timeout(patience),
    Effect.mapError(() => problems.brokenOff),
    Effect.flatMap((text) => (text === undefined ? Effect.fail(problems.tooLarge("1 MB")) : Effect.succeed(text)))
  )
}
