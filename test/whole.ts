/**
 * Whole programs over many processes: tested with the faults (`npm run test:faults`), since `npm test` is to be over
 * within five minutes.
 */
export const wholePrograms: ReadonlyArray<string> = [
  "test/aiSdk/overClis.test.ts",
  "test/bridge/{badInputs,kinds,resuming}.test.ts",
  "test/cluster/move/{cuts,request}.test.ts",
  "test/program/{acp,compare}.test.ts",
  "test/program/serve/{home,life,mistakes,telegram}.test.ts"
]
