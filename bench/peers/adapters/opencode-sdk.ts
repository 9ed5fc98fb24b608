/** `@opencode-ai/sdk`: a server of its own, one session, one prompt and the events beside it; closed in any case. */
import { createOpencode } from "@opencode-ai/sdk"
import type { Run, Task } from "../adapter.ts"
import { described } from "../adapter.ts"

type Events = AsyncIterable<import("@opencode-ai/sdk").Event>

const takeAll = async (events: Events, take: Task["take"]) => {
  for await (const event of events) {
    if (event.type === "session.idle") return
    if (event.type !== "message.part.updated") continue
    const { part } = event.properties
    if (part.type === "text" && part.time?.end !== undefined) await take({ kind: "text", text: part.text })
    if (part.type !== "tool") continue
    if (part.state.status === "running") await take({ kind: "tool" })
    if (part.state.status === "completed") await take({ kind: "output", length: part.state.output.length })
  }
}

export const run: Run = async ({ prompt, directory, abort, timeoutMs, take }) => {
  const { client, server } = await createOpencode({
    port: 0,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs })
  })
  const [listening, prompting] = [new AbortController(), new AbortController()]
  try {
    const query = { directory }
    const { stream } = await client.event.subscribe({ query, signal: listening.signal })
    const taken = takeAll(stream, take)
    const session = await client.session.create({ query })
    const path = { id: session.data?.id ?? "" }
    const stop = async () => {
      await client.session.abort({ path, query })
      prompting.abort()
      server.close()
    }
    abort.signal.addEventListener("abort", stop)
    const body = { parts: [{ type: "text" as const, text: prompt }] }
    const answer = await client.session.prompt({ path, query, body, signal: prompting.signal })
    if (answer.error !== undefined) return `error ${described(answer.error)}`
    if (!abort.signal.aborted) await taken
    await take({ kind: "result" })
    return answer.data.info.error === undefined ? "success" : `error ${answer.data.info.error.name}`
  } finally {
    listening.abort()
    server.close()
  }
}
