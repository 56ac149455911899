/**
 * Imports packages one after the other, and says what each took of the processor, in milliseconds.
 * A program of its own, started as servers are: code that is given with --eval has Node load more.
 */
const took = [];
for (const name of process.argv.slice(2)) {
  const before = process.cpuUsage();
  await import(name);
  const { user, system } = process.cpuUsage(before);
  took.push((user + system) / 1000);
}
console.log(JSON.stringify(took));
