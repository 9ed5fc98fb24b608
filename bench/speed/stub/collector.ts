/** A collector that takes whatever comes, and prints its address once it listens. */
import { createServer } from "node:http"

const server = createServer((request, response) => {
  request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
