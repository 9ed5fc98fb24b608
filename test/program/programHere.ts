/** The program in the process of the test: for command lines that start nothing. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Layer, Sink, Stdio } from "effect"
import { Ended } from "../../src/program/exit.ts"
import { consoleOn } from "../../src/program/output.ts"
import { program } from "../../src/program/program.ts"
import { printable } from "../../src/program/sequences.ts"

const decoder = new TextDecoder()

export const runHere = async (args: ReadonlyArray<string>) => {
  const printed = { stdout: "", stderr: "" }
  const print = (target: "stdout" | "stderr", text: string) => {
    printed[target] += printable(text)
  }
  const write = (target: "stdout" | "stderr") => (chunk: string | Uint8Array) =>
    Effect.sync(() => print(target, typeof chunk === "string" ? chunk : decoder.decode(chunk)))
  const [stdout, stderr] = [Sink.forEach(write("stdout")), Sink.forEach(write("stderr"))]
  const stdio = Stdio.layerTest({ args: Effect.succeed(args), stdout: () => stdout, stderr: () => stderr })
  const here = Effect.provide(program, [Layer.merge(NodeServices.layer, stdio), consoleOn(print)])
  const exit = await Effect.runPromiseExit(here)
  if (Exit.isSuccess(exit)) return { code: 0, ...printed }
  const error = Cause.squash(exit.cause)
  if (error instanceof Ended) return { code: error.exitCode, ...printed }
  throw error
}
