/**
 * Loaded into a host of the campaign before its program (`--import`): what it is told by a file and SIGUSR2. It moves the
 * clock on the wall, or all clocks, as a machine that slept does, and says what is alive in the heap once that is swept.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { getHeapStatistics, writeHeapSnapshot } from "node:v8"

/** In `REINS_CHAOS_ORDERS`; the answer is beside it. */
export interface Orders {
  readonly id: number
  /** Added to the date. */
  readonly wallMs: number
  /** Added to the clocks that only go on: those of Linux stand while a machine sleeps, those of macOS go on. */
  readonly monotonicMs: number
  /** The heap is swept first. */
  readonly isMeasured: boolean
  /** A snapshot of the heap, for finding leaks. */
  readonly snapshot?: string
}

export interface Answer {
  readonly id: number
  /** Living objects, after garbage collection if requested. */
  readonly heapBytes: number
  /** Outside the heap. */
  readonly externalBytes: number
  /** Handles that keep the process alive: timers, sockets, pipes. */
  readonly resources: number
}

export const answerFile = (file: string): string => `${file}.answer`

const shiftClocks = () => {
  let [wallMs, monotonicMs] = [0, 0]
  const RealDate = Date
  const now = () => RealDate.now() + wallMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, input, newTarget) => Reflect.construct(target, input.length === 0 ? [now()] : input, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name))
  })
  const { bigint } = process.hrtime
  process.hrtime.bigint = () => bigint() + BigInt(monotonicMs) * 1_000_000n
  const real = performance.now.bind(performance)
  performance.now = () => real() + monotonicMs
  return (orders: Orders) => {
    wallMs = orders.wallMs
    monotonicMs = orders.monotonicMs
  }
}

/** Memory that only waits to be freed is freed in the turns between. */
const sweep = async () => {
  for (let times = 0; times < 5; times += 1) {
    globalThis.gc?.()
    await nextTurn()
  }
}

const obey = (file: string) => {
  const shift = shiftClocks()
  const read = (): Orders => JSON.parse(readFileSync(file, "utf8"))
  const follow = async () => {
    const orders = read()
    shift(orders)
    if (orders.isMeasured) await sweep()
    if (orders.snapshot !== undefined) writeHeapSnapshot(orders.snapshot)
    const { used_heap_size: heapBytes } = getHeapStatistics()
    const { external, arrayBuffers } = process.memoryUsage()
    const resources = process.getActiveResourcesInfo().length
    const answer: Answer = { id: orders.id, heapBytes, externalBytes: external + arrayBuffers, resources }
    writeFileSync(`${answerFile(file)}.new`, JSON.stringify(answer))
    renameSync(`${answerFile(file)}.new`, answerFile(file))
  }
  process.on("SIGUSR2", () => void follow())
  shift(read())
}

const { REINS_CHAOS_ORDERS: file } = process.env
if (file !== undefined) {
  // For this process alone.
  delete process.env["REINS_CHAOS_ORDERS"]
  obey(file)
}
