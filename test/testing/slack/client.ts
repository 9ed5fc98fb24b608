/** A plain client of Slack for tests of the server: one call, one socket, and what they say. */
import type { SlackServer, SlackServerOptions } from "../../../src/testing.ts"

/** A clock that stands still: the server's time is moved on by the test alone. */
export const still: SlackServerOptions = { now: () => Date.UTC(2026, 10, 28) }

export type Json = Readonly<Record<string, unknown>>

export interface Answered extends Json {
  readonly ok: boolean
  readonly error?: string
  readonly ts: string
}

export const raw = (
  { url, token, appToken }: Pick<SlackServer, "url" | "token" | "appToken">,
  method: string,
  params: unknown = {},
  signal?: AbortSignal
): Promise<Response> =>
  fetch(`${url}/${method}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${method === "apps.connections.open" ? appToken : token}`,
      "content-type": "application/json; charset=utf-8"
    },
    body: JSON.stringify(params),
    ...(signal === undefined ? {} : { signal })
  })

export const post = async (
  server: Pick<SlackServer, "url" | "token" | "appToken">,
  method: string,
  params: unknown = {}
): Promise<Answered> =>
  // as every answer of the Web API is made
  (await (await raw(server, method, params)).json()) as Answered

export const ticketFor = async (slack: SlackServer): Promise<string> =>
  String((await post(slack, "apps.connections.open"))["url"])

const opened = (socket: WebSocket) =>
  new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve())
    socket.addEventListener("error", () => reject(new Error("not opened")))
  })

/** A socket, all frames that it got, and their acknowledgement. */
export const connect = async (slack: SlackServer, url?: string) => {
  const socket = new WebSocket(url ?? (await ticketFor(slack)))
  const frames: Array<Json> = []
  const waiting = new Set<() => void>()
  socket.addEventListener("message", ({ data }) => {
    // as every frame of the server is made
    frames.push(JSON.parse(String(data)) as Json)
    for (const wake of waiting) wake()
  })
  await opened(socket)
  const until = <A>(look: () => A | undefined) =>
    new Promise<A>((resolve) => {
      const wake = () => {
        const found = look()
        if (found !== undefined) resolve(found)
      }
      waiting.add(wake)
      wake()
    })
  const frame = (index: number) => until(() => frames[index])
  await frame(0)
  return {
    socket,
    frames,
    /** The frame of that number; 0 is the hello. */
    frame,
    until,
    acknowledge: ({ envelope_id }: Json) => socket.send(JSON.stringify({ envelope_id }))
  }
}

/** All that is in an envelope around an event. */
export const eventOf = ({ payload }: Json): Json => ((payload ?? {}) as { readonly event?: Json }).event ?? {}
