/**
 * All output of the program to stdout and stderr: the console, the streams and immediate writes go through `printable`.
 * Nothing else in the program writes.
 */
import { inspect } from "node:util"
import { Console, Effect, Layer, Sink, Stdio } from "effect"
import { printable } from "./sequences.ts"

type Target = "stdout" | "stderr"

/** Writes immediately: for log lines and the end of the process. */
export const printNow = (target: Target, text: string): void => {
  process[target].write(printable(text))
}

const decoder = new TextDecoder()

const printableChunk = (chunk: string | Uint8Array): string =>
  printable(typeof chunk === "string" ? chunk : decoder.decode(chunk))

const streams = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) => ({
    ...stdio,
    stdout: (options) => Sink.mapInput(stdio.stdout(options), printableChunk),
    stderr: (options) => Sink.mapInput(stdio.stderr(options), printableChunk)
  }))
)

const toLine = (parts: ReadonlyArray<unknown>): string =>
  `${parts.map((part) => (typeof part === "string" ? part : inspect(part))).join(" ")}\n`

export type Print = (target: Target, text: string) => void

export const consoleOn = (print: Print) => {
  const out = (...parts: ReadonlyArray<unknown>) => print("stdout", toLine(parts))
  const err = (...parts: ReadonlyArray<unknown>) => print("stderr", toLine(parts))
  const streams = { log: out, info: out, debug: out, error: err, warn: err, trace: err }
  return Layer.succeed(Console.Console, { ...console, ...streams })
}

export const output = Layer.mergeAll(streams, consoleOn(printNow))
