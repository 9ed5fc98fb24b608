/** Memory of strings and buffers in this process: to be measured by a test file that has a worker of its own. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** In bytes, without garbage. */
export const heldBytes = (): number => {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
