/**
 * Imports packages one after the other, and prints the CPU time of each in milliseconds. This is a
 * file, because Node loads more modules for code in `--eval`.
 */
const took = [];
for (const name of process.argv.slice(2)) {
  const before = process.cpuUsage();
  await import(name);
  const { user, system } = process.cpuUsage(before);
  took.push((user + system) / 1000);
}
console.log(JSON.stringify(took));
