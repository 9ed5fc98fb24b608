/** Runs the `reins` program on Node. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { output } from "./output.ts"
import { program } from "./program.ts"
import { runMain } from "./signals.ts"

export const start = () => program.pipe(Effect.provide(output), Effect.provide(NodeServices.layer), runMain)
