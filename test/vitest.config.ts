/**
 * `*.process.test.ts` starts processes or servers, or makes directories. `*.isolated.process.test.ts` has a worker of its
 * own, because it changes the environment, measures its process, or uses the folder of `programProcess.ts`. All others are
 * pure: the inner loop (`npm run test:pure`). Faults, browser and real CLIs have configurations of their own.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const all = "test/**/*.test.ts"
const processes = "test/**/*.process.test.ts"
const isolated = "test/**/*.isolated.process.test.ts"
const elsewhere = ["test/real/**", "test/browser/**", "test/faults/**", "test/**/*.faults.test.ts"]

const ownState = fileURLToPath(new URL("state.ts", import.meta.url))

export default defineConfig({
  // An example that a test imports uses the same modules as the test.
  resolve: { alias: [{ find: /^reins$/, replacement: fileURLToPath(new URL("../src/index.ts", import.meta.url)) }] },
  test: {
    // The programs and hosts that tests start are compiled once, and not by each process anew.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL("../.cache/node", import.meta.url)),
      // Not that of the person who runs the tests.
      STATE_OF_ALL: fileURLToPath(new URL("../.cache/state", import.meta.url)),
      XDG_CONFIG_HOME: fileURLToPath(new URL("../.cache/config", import.meta.url))
    },
    // Many of them wait for processes: three keep two cores busy.
    maxWorkers: 3,
    // A guard against hangs only: on a busy machine, tests of many processes take a quarter of this.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: [all],
          exclude: [processes, ...elsewhere],
          setupFiles: [ownState, fileURLToPath(new URL("pure.ts", import.meta.url))],
          isolate: false
        }
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: [processes],
          exclude: [isolated, ...elsewhere],
          setupFiles: ownState,
          isolate: false
        }
      },
      {
        extends: true,
        test: { name: "isolated processes", include: [isolated], exclude: elsewhere, setupFiles: ownState }
      }
    ]
  }
})
