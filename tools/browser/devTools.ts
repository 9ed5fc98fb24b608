/**
 * One connection to a browser's DevTools over Node's WebSocket: `send` gives a command's result, `on` hears events of a
 * session. A command whose browser is gone fails instead of hanging.
 */
export interface DevTools {
  readonly send: (method: string, params?: object, sessionId?: string) => Promise<Record<string, unknown>>
  readonly on: (sessionId: string, listener: (method: string, params: Record<string, unknown>) => void) => void
  readonly close: () => void
}

interface Waiting {
  readonly method: string
  readonly resolve: (result: Record<string, unknown>) => void
  readonly reject: (error: Error) => void
}

export const connectDevTools = async (url: string): Promise<DevTools> => {
  const socket = new WebSocket(url)
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, (method: string, params: Record<string, unknown>) => void>()
  let last = 0
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data))
    const request = waiting.get(message.id)
    if (request === undefined) {
      listeners.get(message.sessionId)?.(message.method, message.params)
      return
    }
    waiting.delete(message.id)
    if (message.error) request.reject(new Error(`${request.method}: ${message.error.message}`))
    else request.resolve(message.result)
  })
  socket.addEventListener("close", () => {
    for (const { method, reject } of waiting.values()) reject(new Error(`${method}: the browser is gone`))
    waiting.clear()
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true })
    socket.addEventListener("error", () => reject(new Error(`no DevTools at ${url}`)), { once: true })
  })
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { method, resolve, reject })
        socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
      }),
    on: (sessionId, listener) => {
      listeners.set(sessionId, listener)
    },
    close: () => socket.close()
  }
}
