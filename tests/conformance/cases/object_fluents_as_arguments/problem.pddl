(define (problem cargo-1) (:domain cargo) (:objects t - truck x y - place)
  (:init (= (loc t) x) (= (load x) 0) (= (load y) 0)) (:goal (and (= (load x) 1) (= (load y) 1))))
