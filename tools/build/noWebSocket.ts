/**
 * `ws`, which Effect's HTTP server loads, but nothing here uses: it is CommonJS, and would need `createRequire`, without
 * which an application that is bundled to CommonJS dies at its start.
 */
import type { Plugin } from "rolldown"

const id = "\0no-web-socket"

export const noWebSocket: Plugin = {
  name: "no-web-socket",
  resolveId: (source) => (source === "ws" ? id : null),
  load: (source) =>
    source === id ? "export class WebSocket {}\nexport class WebSocketServer {}\nexport default WebSocket\n" : null
}
