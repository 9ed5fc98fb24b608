/**
 * Unit, property, process and contract tests. Faults and what needs the real CLIs have configurations of their own. Files
 * that share nothing but modules run together in one worker, which loads those once; the others have one each.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Folders whose files have no state of a module, no variable of the environment and no end of a process in them. */
const together = ["approvals", "bench", "chaos", "cli", "contract", "drift", "errors", "session", "testing"]
const shared = ["test/*.test.ts", ...together.map((folder) => `test/${folder}/**/*.test.ts`)]

export default defineConfig({
  // An example that a test imports uses the same modules as the test.
  resolve: { alias: [{ find: /^reins$/, replacement: fileURLToPath(new URL("../src/index.ts", import.meta.url)) }] },
  test: {
    // The programs and hosts that tests start are compiled once, and not by each process anew.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL("../.cache/node", import.meta.url)),
      // Not that of the person who runs the tests.
      XDG_STATE_HOME: fileURLToPath(new URL("../.cache/state", import.meta.url))
    },
    // Most of them wait for processes.
    maxWorkers: 2,
    testTimeout: 30_000,
    projects: [
      { extends: true, test: { name: "together", include: shared, isolate: false } },
      {
        extends: true,
        test: {
          name: "apart",
          include: ["test/**/*.test.ts"],
          exclude: ["test/real/**", "test/faults/**", "test/**/*.faults.test.ts", ...shared]
        }
      }
    ]
  }
})
