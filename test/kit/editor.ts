/** An editor: the client of the protocol's own SDK, which starts `reins acp` of the build and keeps all that it is sent. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import {
  type AnyMessage,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate
} from "@agentclientprotocol/sdk"

const program = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

export type Told = SessionUpdate & { readonly sessionId: string }

interface EditorOptions {
  readonly args: ReadonlyArray<string>
  /** All of it. Default: that of the test. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Has forms for questions. */
  readonly fill?: (request: CreateElicitationRequest) => CreateElicitationResponse
}

export interface Editor {
  readonly child: ChildProcess
  readonly request: ClientConnection["agent"]["request"]
  readonly notify: ClientConnection["agent"]["notify"]
  readonly updates: ReadonlyArray<Told>
  /** Answers each request; at first, none is answered. */
  decide: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>
  readonly requests: ReadonlyArray<RequestPermissionRequest>
  /** The first that fits, as soon as it is there. */
  readonly told: (fits: (update: Told) => boolean) => Promise<Told>
  readonly asked: (count?: number) => Promise<RequestPermissionRequest>
  /** The answer of a session, as its pieces came. */
  readonly text: (sessionId: string) => string
  readonly open: (cwd: string) => Promise<string>
  readonly prompt: (sessionId: string, text: string) => Promise<{ readonly stopReason: string }>
  readonly stderr: () => string
  /** The end of its stdin; gives its exit code, or the signal. */
  readonly leave: () => Promise<number | string | null>
  readonly ended: Promise<number | string | null>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export const choose =
  (kind: "allow_once" | "allow_always" | "reject_once") =>
  async ({ options }: RequestPermissionRequest): Promise<RequestPermissionResponse> => {
    const optionId = options.find((option) => option.kind === kind)?.optionId
    if (optionId === undefined) throw new Error(`no option ${kind}`)
    return { outcome: { outcome: "selected", optionId } }
  }

export const openEditor = async ({ args, env, cwd, fill }: EditorOptions): Promise<Editor> => {
  const child = spawn(process.execPath, [program, "acp", ...args], {
    env: env ?? process.env,
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd })
  })
  const updates: Array<Told> = []
  const requests: Array<RequestPermissionRequest> = []
  const looks = new Set<() => void>()
  const look = () => {
    for (const each of looks) each()
  }
  const until = <A>(find: () => A | undefined) =>
    new Promise<A>((resolve) => {
      const each = () => {
        const found = find()
        if (found === undefined) return
        looks.delete(each)
        resolve(found)
      }
      looks.add(each)
      each()
    })
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk)
  })
  const ended = once(child, "close").then(([code, signal]): number | string | null => signal ?? code)

  const app = client({ name: "editor" })
    .onNotification(methods.client.session.update, () => {})
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      requests.push(params)
      look()
      return editor.decide(params, signal)
    })
  if (fill !== undefined) app.onRequest(methods.client.elicitation.create, ({ params }) => fill(params))
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>) // the same, by two declarations
  // As they come, before the SDK passes them on: it waits for no handler when an answer has come.
  const noting = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if ("method" in message && message.method === methods.client.session.update) {
        const { sessionId, update } = message.params as SessionNotification // the SDK checks it
        updates.push({ ...update, sessionId })
        look()
      }
      controller.enqueue(message)
    }
  })
  const { agent } = app.connect({ ...stream, readable: stream.readable.pipeThrough(noting) })

  const leave = () => {
    child.stdin.end()
    return ended
  }
  const editor: Editor = {
    ...{ child, updates, requests, ended, leave },
    request: agent.request.bind(agent),
    notify: agent.notify.bind(agent),
    decide: () => new Promise(() => {}),
    told: (fits) => until(() => updates.find(fits)),
    asked: (count = 1) => until(() => requests[count - 1]),
    text: (sessionId) =>
      updates
        .map((update) => {
          if (update.sessionId !== sessionId || update.sessionUpdate !== "agent_message_chunk") return ""
          return update.content.type === "text" ? update.content.text : ""
        })
        .join(""),
    open: async (directory) => {
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: directory, mcpServers: [] })
      return sessionId
    },
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
    stderr: () => stderr,
    [Symbol.asyncDispose]: async () => {
      child.stdin.destroy()
      await ended
    }
  }
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: fill === undefined ? {} : { elicitation: { form: {} } }
  })
  return editor
}
