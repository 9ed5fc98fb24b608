/** Ports for other machines. */
import { createServer } from "node:net"
import { Effect } from "effect"
import { ClusterError } from "./ClusterError.ts"

export const cannotListen = (address: string, problem: string) =>
  new ClusterError({
    code: "address",
    problem: `cannot listen at ${address} (${problem.slice(0, 200)})`,
    cure: "name another port with --listen, or end what has it"
  })

/** The engine has to know its own before it listens. Fails where nothing can listen at all. */
export const portOf = (host: string, port: number): Effect.Effect<number, ClusterError> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.fail(cannotListen(`${host}:${port}`, cause.message))))
    server.listen({ host, port }, () => {
      const bound = server.address()
      server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : port)))
    })
  })
