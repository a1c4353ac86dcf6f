import { appendFileSync, readFileSync } from "node:fs";

const { number, amount } = JSON.parse(readFileSync(0, "utf8")).arguments;
// The working directory is the package's own data directory.
appendFileSync("refunds.txt", `${number} ${amount}\n`);
console.log(JSON.stringify({ refunded: number, amount }));
