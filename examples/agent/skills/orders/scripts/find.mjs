import { readFileSync } from "node:fs";

const ORDERS = [
  { number: 1042, goods: "teapot", paid: 40, late: false },
  { number: 1043, goods: "lamp", paid: 65, late: true },
];

const { number, late } = JSON.parse(readFileSync(0, "utf8")).arguments;
const isWanted = (order) =>
  (number === undefined || order.number === number) && (late === undefined || order.late === late);
console.log(JSON.stringify({ orders: ORDERS.filter(isWanted) }));
