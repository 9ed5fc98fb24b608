/**
 * `npm run test:faults`: what holds when hosts are killed, pipes stay open, disks fill up and consumers pause, and whole
 * programs over many processes. Real processes and much memory; two files at a time, since most of them wait.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    env: {
      // The programs and hosts that tests start are compiled once, and not by each process anew.
      NODE_COMPILE_CACHE: fileURLToPath(new URL("../../.cache/node", import.meta.url)),
      STATE_OF_ALL: fileURLToPath(new URL("../../.cache/state", import.meta.url)),
      XDG_CONFIG_HOME: fileURLToPath(new URL("../../.cache/config", import.meta.url))
    },
    include: ["test/faults/**/*.test.ts", "test/**/*.faults.test.ts"],
    maxWorkers: 2,
    setupFiles: [fileURLToPath(new URL("../state.ts", import.meta.url))],
    testTimeout: 120_000,
    execArgv: ["--expose-gc"]
  }
})
