/**
 * All output of the program to stdout and stderr: the console, the streams and immediate writes go through `printable`.
 * Nothing else in the program writes.
 */
import { inspect } from "node:util"
import { Console, Effect, Layer, Sink, Stdio } from "effect"
import { printable } from "./sequences.ts"

type Target = "stdout" | "stderr"

/** Writes immediately, for the end of the process and log lines. */
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

/** A console that prints with `print`; tests pass their own. */
export const consoleOn = (print: Print) => {
  const to =
    (target: Target) =>
    (...parts: ReadonlyArray<unknown>) =>
      print(target, toLine(parts))
  const [out, err] = [to("stdout"), to("stderr")]
  return Layer.succeed(Console.Console, {
    ...console,
    log: out,
    info: out,
    debug: out,
    error: err,
    warn: err,
    trace: err
  })
}

export const output = Layer.mergeAll(streams, consoleOn(printNow))
