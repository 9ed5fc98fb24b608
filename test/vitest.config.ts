/**
 * `pure`: no process, no server, no directory of its own: the inner loop (`npm run test:pure`). `processes` start what
 * they test. Faults and what needs the real CLIs have configurations of their own. A file is pure unless it is named here.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { wholePrograms } from "./whole.ts"

/** They share nothing but modules, which one worker loads once for all of them. */
const processes = [
  "test/{cluster,gateway,guard,journal,locks,run,store,stored,worktrees}/**/*.test.ts",
  "test/aiSdk/liveCalls.test.ts",
  "test/bridge/files.test.ts",
  "test/bridge/gatewayRuns.test.ts",
  "test/bridge/handleTools.test.ts",
  "test/bridge/lingering.test.ts",
  "test/bridge/patience.test.ts",
  "test/bridge/records.test.ts",
  "test/bridge/stoppedHost.test.ts",
  "test/bridge/onTelegram.test.ts",
  "test/channels/{telegram,web}/**/*.test.ts",
  "test/chaos/cluster/link.test.ts",
  "test/config/file.test.ts",
  "test/approvals/{evaluatingBuiltins,simpleCommand}.test.ts",
  "test/cli/codex/{command/mcp,run/innerCommand}.test.ts",
  "test/contract/{attachments,deepLines,guards,looseArguments,ownSeams,reasons,reportedModes,seams,session*,wrongOptions}.test.ts",
  "test/doors/!(doctor|eventFeed|host).test.ts",
  "test/engine/{announcedWaits,permits,queue,recording,sessionGuard,versionAdvice,watchdog,watchdogAfterwards}.test.ts",
  "test/hostTools/hostServer.test.ts",
  "test/ledger/{service,report,storeGone,plain,budgets/doors}.test.ts",
  "test/process/{descendants,makeDirectories,pipes,privateFiles,probe,processTable,spill,stdinPipe}.test.ts",
  "test/program/chat/{demo,lines}.test.ts",
  "test/program/{doctorChannels,moveSession}.test.ts",
  "test/program/telemetry/exporter.test.ts",
  "test/program/serve/systemd.test.ts",
  "test/sessions/history/{everyStore,outside}.test.ts",
  "test/sessions/transcript/{liveTurns,twoStores}.test.ts",
  "test/sessions/{conversations,damage,identifiedTurns,killedAfterResult,liveConversation,model,service,turns}.test.ts",
  "test/sessions/history/databases.test.ts",
  "test/session/{broadcast,conversation,hostToolNames,loadPart,structuredTurns}.test.ts",
  "test/settings/!(document|merge).test.ts",
  "test/testing/telegram/**/*.test.ts",
  "test/testing/{answers,does,installed,liveFakes,modelServer,modes,replay,says,sandbox,wires}.test.ts",
  "test/types/{hovers,options}.test.ts"
]

/**
 * Each has a worker of its own: it changes the environment, watches what its process leaves behind or measures it, or uses
 * the folder of `programProcess.ts`, which goes with the first file that uses it.
 */
const processesApart = [
  "test/{docs,package}/**/*.test.ts",
  "test/doors/{doctor,eventFeed,host}.test.ts",
  "test/engine/{backlog,heldLines,loadAttachments}.test.ts",
  "test/process/{launch,linesMemory}.test.ts",
  "test/program/{acpAgent,arguments,compileCache,completions,config,doctor,endings,foreignOutput,outputForms,params,planMode,readInput,replay,run,sessions,spending,usage,wrongLines}.test.ts",
  "test/program/telemetry/program.test.ts",
  "test/program/chat/json.test.ts"
]

const ownState = fileURLToPath(new URL("state.ts", import.meta.url))

const elsewhere = ["test/real/**", "test/browser/**", "test/faults/**", "test/**/*.faults.test.ts", ...wholePrograms]

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
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: ["test/**/*.test.ts"],
          exclude: [...processes, ...processesApart, ...elsewhere],
          setupFiles: [ownState, fileURLToPath(new URL("pure.ts", import.meta.url))],
          isolate: false
        }
      },
      {
        extends: true,
        test: { name: "processes", setupFiles: ownState, include: processes, exclude: elsewhere, isolate: false }
      },
      {
        extends: true,
        test: { name: "processes apart", setupFiles: ownState, include: processesApart, exclude: elsewhere }
      }
    ]
  }
})
