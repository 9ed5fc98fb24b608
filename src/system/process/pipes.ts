/**
 * The pipes and the exit of a child process, without a fiber for each and without the `PassThrough` of
 * `@effect/platform-node` (4.1.0), which costs a tenth of a run that prints single lines. Node publishes child
 * processes on a diagnostics channel; where it does not (scripted spawners, other runtimes), the handle is used.
 */
import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Readable, Writable } from "node:stream"
import { type Cause, Deferred, Effect, type Fiber, type PlatformError, Queue, Stream } from "effect"
import type { ChildProcessSpawner, ChildProcess as Command } from "effect/process"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import type { Stdin } from "./stdin.ts"

type Handle = ChildProcessSpawner.ChildProcessHandle
type Spawner = ChildProcessSpawner.ChildProcessSpawner["Service"]

/** Calls back with each chunk as it arrives, and once after the last one. Gives a function that closes the pipe before. */
export type ReadPipe = (onChunk: (chunk: Uint8Array) => void, onEnd: () => void) => () => void

export interface Piped {
  readonly handle: Handle
  /** Output may still be in the pipes. */
  readonly exit: Deferred.Deferred<ProcessExit>
  readonly readStdout: ReadPipe
  readonly readStderr: ReadPipe
  /** Gives a function that closes the pipe. A child that does not read it, or exits before, is not a failure (EPIPE). */
  readonly writeStdin: (stdin: Stdin) => () => void
}

const channel = "child_process"

const isChild = (message: unknown): message is { readonly process: ChildProcess } =>
  typeof message === "object" && message !== null && "process" in message

/** An error of a pipe is its end, like its closing. */
const readPipe =
  (pipe: Readable): ReadPipe =>
  (onChunk, onEnd) => {
    let isEnded = false
    const end = () => {
      if (!isEnded) onEnd()
      isEnded = true
    }
    pipe.unpipe()
    // The platform's would destroy a `PassThrough` whose error has no listener: an uncaught exception.
    pipe.removeAllListeners("error")
    pipe.on("error", end).on("end", end).on("close", end).on("data", onChunk).resume()
    return () => pipe.destroy()
  }

type Fork = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

const readStream =
  (stream: Handle["stdout"], fork: Fork): ReadPipe =>
  (onChunk, onEnd) => {
    const reading = fork(
      Effect.ignore(Stream.runForEachArray(stream, (chunks) => Effect.sync(() => chunks.forEach(onChunk))))
    )
    reading.addObserver(onEnd)
    return () => reading.interruptUnsafe()
  }

/** No part of it has been read elsewhere. */
const isUnread = (pipe: Readable | null | undefined): pipe is Readable =>
  pipe != null && !pipe.readableDidRead && !pipe.readableEnded && !pipe.destroyed

/** Decided when the reading begins. */
const read =
  (pipe: Readable | null | undefined, stream: Handle["stdout"], fork: Fork): ReadPipe =>
  (onChunk, onEnd) =>
    (isUnread(pipe) ? readPipe(pipe) : readStream(stream, fork))(onChunk, onEnd)

/** Node names the signal only in the text of the cause (`@effect/platform-node` 4.1.0). */
const exitOf = (error: PlatformError.PlatformError): ProcessExit => {
  const cause = error.reason.cause
  const text = cause instanceof Error ? cause.message : String(cause)
  return { signal: /\bSIG[A-Z0-9]+\b/.exec(text)?.[0] ?? "unknown" }
}

const exitOfHandle = ({ exitCode }: Handle, fork: Fork) => {
  const exit = Deferred.makeUnsafe<ProcessExit>()
  const reported = Effect.match(exitCode, { onFailure: exitOf, onSuccess: (code): ProcessExit => ({ code }) })
  fork(Effect.asVoid(Deferred.into(reported, exit)))
  return exit
}

const exitOfChild = (child: ChildProcess) => {
  const exit = Deferred.makeUnsafe<ProcessExit>()
  const happen = (value: ProcessExit) => Deferred.doneUnsafe(exit, Effect.succeed(value))
  const look = () => {
    const { exitCode: code, signalCode: signal } = child
    if (signal !== null) happen({ signal })
    else if (code !== null) happen({ code })
  }
  child.once("exit", look)
  look()
  return exit
}

const writePipe = (pipe: Writable, stdin: Stdin) => {
  pipe.on("error", stdin.close).on("close", stdin.close)
  stdin.connect({ write: (text) => pipe.write(text), end: () => pipe.end(), waiting: () => pipe.writableLength })
  return () => pipe.destroy()
}

const writeSink = (sink: Handle["stdin"], stdin: Stdin, fork: Fork) => {
  const flushed = Effect.gen(function* () {
    const queue = yield* Queue.unbounded<string, Cause.Done>()
    let waiting = 0
    stdin.connect({
      write: (text) => {
        waiting += text.length
        Queue.offerUnsafe(queue, text)
      },
      end: () => Queue.endUnsafe(queue),
      waiting: () => waiting
    })
    const texts = Stream.map(Stream.fromQueue(queue), (text) => {
      waiting -= text.length
      return text
    })
    yield* Stream.run(Stream.encodeText(texts), sink)
  })
  const writing = fork(Effect.ensuring(Effect.ignore(flushed), Effect.sync(stdin.close)))
  return () => writing.interruptUnsafe()
}

/** Starts the process; its pipes are to be read at once. */
export const spawnPiped = Effect.fnUntraced(function* (spawner: Spawner, command: Command.Command) {
  const children: Array<ChildProcess> = []
  const onMessage = (message: unknown) => {
    if (isChild(message)) children.push(message.process)
  }
  const spawning = Effect.suspend(() => {
    subscribe(channel, onMessage)
    return spawner.spawn(command)
  })
  const handle = yield* Effect.onExit(spawning, () => Effect.sync(() => unsubscribe(channel, onMessage)))
  const child = children.find(({ pid }) => pid === handle.pid)
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const piped: Piped = {
    handle,
    exit: child === undefined ? exitOfHandle(handle, fork) : exitOfChild(child),
    readStdout: read(child?.stdout, handle.stdout, fork),
    readStderr: read(child?.stderr, handle.stderr, fork),
    writeStdin: (stdin) => (child?.stdin == null ? writeSink(handle.stdin, stdin, fork) : writePipe(child.stdin, stdin))
  }
  return piped
})
