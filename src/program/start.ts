/** Runs the `reins` program on Node. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { isNodeOk, oldestNode } from "../system/process/nodeVersion.ts"
import { output, printNow } from "./output.ts"
import { program } from "./program.ts"
import { runMain } from "./signals.ts"

export const start = () => {
  if (!isNodeOk(process.version)) {
    printNow("stderr", `reins: Node.js ${process.version} is too old: some things fail before ${oldestNode}\n`)
  }
  program.pipe(Effect.provide(output), Effect.provide(NodeServices.layer), runMain)
}
