; Five tiles on a board of two rows, a and b, with three cells each:
;   start  4 3 5     goal  1 2 3
;          2 1 .           4 5 .
(define (problem five-tiles)
  (:domain puzzle)
  (:objects
    t1 t2 t3 t4 t5 - tile
    a1 a2 a3 b1 b2 b3 - cell)
  (:init
    (tile-at t4 a1) (tile-at t3 a2) (tile-at t5 a3)
    (tile-at t2 b1) (tile-at t1 b2) (empty b3)

    (adjacent a1 a2) (adjacent a2 a1)
    (adjacent a2 a3) (adjacent a3 a2)
    (adjacent b1 b2) (adjacent b2 b1)
    (adjacent b2 b3) (adjacent b3 b2)
    (adjacent a1 b1) (adjacent b1 a1)
    (adjacent a2 b2) (adjacent b2 a2)
    (adjacent a3 b3) (adjacent b3 a3))
  (:goal (and (tile-at t1 a1) (tile-at t2 a2) (tile-at t3 a3)
              (tile-at t4 b1) (tile-at t5 b2))))
