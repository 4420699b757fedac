"""Why no plan does what was asked: conflicts among wishes, a reason for each, and what would have to be otherwise.

``why`` is the way in, and looks for conflicts over sets of wishes; ``reasons`` are sentences that are proven,
``excuses`` are the fewest initial facts after whose change there would be a plan (Goebelbecker et al. 2010).
"""
